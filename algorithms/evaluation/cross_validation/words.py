"""What is said about trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.maths.sweeps import best_of
from algorithms.maths.validation import rate, scatter
from algorithms.maths.words import counted

if TYPE_CHECKING:
    from algorithms.evaluation.cross_validation import Shot


def warning(shot: Shot) -> str | None:
    """What deserves doubt."""
    if shot.given.cheats and len(shot.model.errors):
        return "The features were prepared with the held-out points, too: these errors are too good."
    return None


def _opening(shot: Shot) -> str:
    given, kept = shot.given, len(shot.given.kept)
    words = f"{given.title} will be fitted {counted(shot.model.splits, 'time')}, on {counted(len(given.desk), 'point')}"
    words += " less those that are held out"
    return words + (f"; {counted(kept, 'point')} {'is' if kept == 1 else 'are'} kept aside." if kept else ".")


def _trial(shot: Shot) -> str:
    model, labelled = shot.model, shot.given.data.is_labelled
    text = f"Split {len(model.errors)} of {model.splits}: {rate(shot.metrics['error'], labelled)} on "
    text += f"{counted(len(shot.shown.tested), 'held-out point')}"
    return f"{text}; so far {rate(model.mean, labelled)} on average." if len(model.errors) > 1 else f"{text}."


def _choice(shot: Shot) -> str:
    """After the inner cross-validation."""
    shown, best = shot.shown, best_of(shot.shown.inner)
    assert best is not None
    return (
        f"Among the points that learn in split {len(shot.model.errors) + 1}, {shown.chosen} has the least inner error: "
        f"{rate(best.mean, shot.given.data.is_labelled)}. The choice was made by this number, so it is too good."
    )


def _done(shot: Shot) -> str:
    """All splits."""
    model, labelled = shot.model, shot.given.data.is_labelled
    text = f"On held-out points {rate(model.mean, labelled)} on average"
    if len(model.errors) > 1:
        text += f"; the errors of the splits have the standard deviation {scatter(model.spread, labelled)}"
    text += "."
    if shot.given.cheats:
        honest = float(model.honest.mean())
        text += f" Prepared without the held-out points it is {rate(honest, labelled)}: that is the honest number."
    if len(model.inner):
        text += f" The inner errors, by which was chosen, were {rate(float(model.inner.mean()), labelled)} on average."
    return text


def _opened(shot: Shot) -> str:
    """The points that were kept aside."""
    model, labelled = shot.model, shot.given.data.is_labelled
    return (
        f"On {counted(len(shot.given.kept), 'point')} that were kept aside: {rate(model.test_error, labelled)}; "
        f"cross-validation had said {rate(model.mean, labelled)}. It is an honest number only this once."
    )


CAPTIONS = {"split": _opening, "choose": _choice, "test": _trial, "mean": _done, "open": _opened}
