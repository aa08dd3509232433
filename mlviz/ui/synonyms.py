"""Other words by which people look for an action in the palette (Ctrl+K), by the name of the action."""

from __future__ import annotations

from mlviz.views.composition import CURVES, EVALUATION

SYNONYMS: dict[str, tuple[str, ...]] = {
    "new": ("empty", "clear the board", "start afresh", "new document"),
    "open": ("load", "import", "file", "CSV", "Excel", "spreadsheet", "my own data"),
    "save": ("keep", "store"),
    "save_data": ("CSV file of the data", "Parquet", "NPZ"),
    "export": (
        "film", "video", "movie", "animation", "GIF", "MP4", "WebP", "picture", "image", "figure", "PNG", "SVG", "PDF",
        "screenshot", "handout", "web page", "HTML", "replay", "Python", "script", "code", "JSON", "model as numbers",
        "share with students",
    ),
    "copy_picture": ("picture", "image", "figure", "screenshot", "clipboard"),
    "print": ("paper", "printer"),
    "quit": ("exit", "leave", "end the program"),
    "undo": ("back out", "take back", "revert"),
    "redo": ("undo the undo", "repeat"),
    "reset": ("reset the data", "revert the data", "original data", "given data"),
    "reset_params": ("defaults", "default values", "restore the knobs"),
    "paste": ("clipboard", "import from a spreadsheet"),
    "copy": ("clipboard", "copy to a spreadsheet"),
    "settings": ("preferences", "options", "configuration", "Dask cluster"),
    "tool_hand": ("pan", "scroll", "drag"),
    "tool_point": ("paint", "add points"),
    "tool_spray": ("paint", "brush", "airbrush"),
    "tool_stamp": ("blob", "normal distribution"),
    "tool_select": ("rectangle", "mark"),
    "tool_relabel": ("change the label", "label", "recolour"),
    "tool_erase": ("rubber", "eraser", "delete points", "remove points"),
    "tool_jitter": ("noise", "jitter"),
    "class_add": ("new class", "another colour"),
    "class_edit": ("rename the class", "color", "label"),
    "play": ("run", "go", "animate"),
    "forward": ("next step", "one step"),
    "back": ("previous step", "step backward"),
    "start": ("start", "rewind", "beginning", "restart", "jump to the start", "home"),
    "end": ("end", "jump to the end", "result"),
    "faster": ("speed", "quicker", "fast forward"),
    "slower": ("speed", "slow motion"),
    "cancel": ("cancel", "abort", "interrupt"),
    "same_seed": ("repeat", "replay", "restart", "rerun"),
    "new_seed": ("shuffle", "random numbers", "another start", "rerun"),
    "draw_from_model": ("sample", "generate"),
    "compare_same": ("compare", "side by side", "two boards", "split", "second board", "next to each other"),
    "compare_seed": ("compare two seeds", "side by side with another seed", "two seeds"),
    "compare_method": ("compare two methods", "side by side with another method", "versus", "two methods"),
    "next_board": ("other board", "switch boards"),
    "by_fraction": ("synchronise", "same clock"),
    "difference": ("difference", "disagree", "difference map", "compare the answers", "disagreement"),
    "close_board": ("remove the board", "end the comparison"),
    "only_board": ("end the comparison", "close the others"),
    "lessons": ("slides", "slide show", "lecture", "start page", "recent", "course", "examples"),
    "slide_add": ("new slide", "bookmark", "question for the class", "question", "notes", "students"),
    "slide_update": ("overwrite the slide", "replace the slide"),
    "lesson_new": ("begin another lesson", "empty lesson", "close the lesson"),
    "lesson_rename": ("rename the lesson",),
    "slide_duplicate": ("copy the slide",),
    "slide_rename": ("rename the slide", "heading"),
    "lecturer_notes": ("notes", "speaker notes", "second screen", "monitor", "lecturer"),
    "legends": ("legend", "key of colours", "hide the legend", "names of the curves"),
    "alone": ("maximise", "maximize", "enlarge", "hide the curves", "big", "focus"),
    "enlarge": ("enlarge", "make it large", "exchange"),
    "fit": ("zoom", "zoom out", "reset the zoom", "fit", "whole picture", "home view", "centre the view"),
    "explore": ("summary", "statistics", "histogram", "scatter matrix", "correlation", "describe"),
    "pca": ("projection", "dimensions", "axes"),
    "theme": ("dark mode", "night", "theme", "colours", "black background", "white background"),
    "present": (
        "projector", "full screen", "fullscreen", "presentation", "beamer", "slide show", "slideshow", "lecture",
        "large letters", "font size", "students", "in front of a class",
    ),
    "present_here": ("share the window", "video call", "screen sharing", "large letters"),
    "laser": ("red dot", "point at something", "mouse pointer"),
    "pen": ("annotate", "write", "scribble", "draw on the picture", "highlight", "marker", "notes on the picture"),
    "black_out": ("blackout", "blank screen", "pause the projector", "curtain", "hide the picture", "dark screen"),
    "side_panels": ("sidebar", "hide the panels", "more room", "docks"),
    "layout": ("reset the layout", "reset the window", "default layout", "panels"),
    "gallery_page": ("gallery", "algorithms", "overview", "catalogue", "list of methods", "cards"),
    "about_method": ("help", "formula", "explain", "reference", "what is this"),
    "keys": ("shortcuts", "keys", "hotkeys", "help"),
}  # fmt: skip
"""By the name of the action. Those of a method stand with the method."""

VIEW_SYNONYMS: dict[str, tuple[str, ...]] = {
    EVALUATION: (
        "ROC", "confusion matrix", "threshold", "test error", "test set", "held out", "score", "accuracy", "precision",
        "recall", "residuals", "calibration",
    ),
    CURVES: ("loss", "metrics", "objective", "learning curve"),
    "Parameters": ("knobs", "hyperparameters", "form", "sliders"),
    "Data": (
        "generator", "axes", "scale", "standardise", "standardize", "normalise", "normalize", "noise",
        "number of points", "columns", "features",
    ),
}  # fmt: skip
"""The same for views and for the tabs of the controls."""

NEEDS: dict[str, str] = {
    "undo": "nothing to undo yet",
    "redo": "nothing to redo",
    "reset": "the data are as they were given",
    "draw_from_model": "this method cannot draw",
    **dict.fromkeys(
        ("next_board", "by_fraction", "difference", "close_board", "only_board"), "needs two boards (Ctrl+B)"
    ),
    **dict.fromkeys(("compare_same", "compare_seed", "compare_method"), "no more than four boards"),
    **dict.fromkeys(("lesson_new", "lesson_rename", "slide_duplicate"), "needs a lesson (Ctrl+M)"),
    **dict.fromkeys(("slide_update", "slide_rename", "slide_delete", "lecturer_notes"), "needs a lesson (Ctrl+M)"),
    **dict.fromkeys(("slide_next", "slide_down"), "needs a slide after this one"),
    **dict.fromkeys(("slide_previous", "slide_up"), "needs a slide before this one"),
    "black_out": "in presenter mode (F5)",
}
"""What an action waits for while it cannot be done; one that is not named here is not offered then."""
