"""The tools of every kind of data but points, and what else can be done to them: declared here, so that the menus are
there before the editors are. What a tool does is in the editor of its kind, under the name of its ``stroke``.
"""

from __future__ import annotations

from typing import Any

from algorithms.records import dataclass


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the menus know it. ``stroke`` is what it does; without one it is the hand."""

    name: str
    text: str
    keys: str
    icon: str
    step: str = ""
    """What one use of it is called in the undo menu."""
    hint: str = ""
    stroke: Any = None
    has_brush: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """Something else that an editor can do, by the name of its method and what that is given."""

    name: str
    text: str
    method: str
    arguments: tuple[str, ...] = ()
    checkable: bool = False


HAND = Tool("hand", "Hand: move the view and the handles", "H", "hand")
GRAPH = (
    HAND,
    Tool("node", "Add nodes", "P", "node", "add a node", "Click to add a node; drag to place it.", "node"),
    Tool(
        "connect",
        "Connect nodes",
        "L",
        "line",
        "connect nodes",
        "Drag from a node to another one; beside a node a new one is made.",
        "connect",
    ),
    Tool(
        "select",
        "Select and move nodes",
        "V",
        "select",
        "move nodes",
        "Drag a node or the selection to move it, drag beside the nodes to select; Shift adds.",
        "select",
    ),
    Tool(
        "weigh",
        "Change weights",
        "W",
        "weigh",
        "change a weight",
        "Drag an edge up or down to change its weight; double-click to type one.",
        "weigh",
    ),
    Tool("reverse", "Reverse edges", "R", "reverse", "reverse an edge", "Click an edge to turn it.", "reverse"),
    Tool("erase", "Erase nodes and edges", "E", "erase", "erase", "Brush over nodes and edges to erase.", "erase"),
)
SEQUENCES = (
    HAND,
    Tool(
        "pen",
        "Draw a series",
        "P",
        "line",
        "draw a series",
        "Draw over a series to change it; behind its end it becomes longer.",
        "draw",
    ),
    Tool("erase", "Erase moments", "E", "erase", "erase moments", "Drag over moments to take them out.", "erase"),
)
DISTANCES = (
    HAND,
    Tool(
        "cell",
        "Change distances",
        "P",
        "weigh",
        "change a distance",
        "Drag a cell up or down to change its distance; double-click to type one.",
        "cell",
    ),
    Tool("erase", "Remove rows", "E", "erase", "remove a row", "Click a row to take it out of the table.", "erase"),
)
_RELABEL = Tool(
    "relabel",
    "Give another class",
    "R",
    "relabel",
    "relabel",
    "Brush over items to give them the chosen class.",
    "relabel",
)
STRINGS = (
    HAND,
    Tool(
        "type",
        "Type texts",
        "P",
        "text",
        "type a text",
        "Click a text to type over it, or the last row to add one; Enter goes on to the next.",
        "type",
    ),
    Tool(
        "select",
        "Select texts",
        "V",
        "select",
        "select",
        "Click or drag to select, Shift adds; 1 to 9 give the selected texts a class, a double click types.",
        "select",
    ),
    _RELABEL,
    Tool("erase", "Erase texts", "E", "erase", "erase texts", "Brush over texts to take them out.", "erase"),
)
GRAPH_SET = (
    HAND,
    Tool(
        "node",
        "Add nodes",
        "P",
        "node",
        "add a node",
        "Click into a graph to add a node, or into the last cell to begin a graph; a double click opens a graph.",
        "node",
    ),
    Tool(
        "connect",
        "Connect nodes",
        "L",
        "line",
        "connect nodes",
        "Drag from a node to another one of the same graph; beside a node a new one is made.",
        "connect",
    ),
    Tool(
        "select",
        "Select graphs and move nodes",
        "V",
        "select",
        "move a node",
        "Click or drag to select graphs, Shift adds, 1 to 9 give them a class; drag a node to move it.",
        "select",
    ),
    _RELABEL,
    Tool("erase", "Erase nodes and edges", "E", "erase", "erase", "Brush over nodes and edges to erase.", "erase"),
)
COMMANDS: dict[str, tuple[Command, ...]] = {
    "graph": (
        Command("layout_spring", "Lay out with springs", "lay_out", ("spring",)),
        Command("layout_spectral", "Lay out by eigenvectors", "lay_out", ("spectral",)),
        Command("layout_circle", "Lay out on a circle", "lay_out", ("circle",)),
        Command("directed", "Directed edges", "toggle_direction", checkable=True),
    ),
    "sequences": (
        Command("series_add", "Add a series", "add_series"),
        Command("series_remove", "Remove the last series", "remove_series"),
    ),
    "distances": (Command("row_add", "Add a row", "add_row"),),
    "strings": (
        Command("text_add", "Add a text", "add_text"),
        Command("text_edit", "Type over the selected text", "edit_text"),
    ),
    "graph_set": (
        Command("graph_add", "Add an empty graph", "add_graph"),
        Command("graph_open", "Open the selected graph, or show all", "open_graph"),
    ),
}
