"""What is said about trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.maths.sweeps import best_of
from algorithms.maths.validation import rate
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.evaluation.cross_validation import Shot


def warning(shot: Shot) -> str | None:
    """What deserves doubt."""
    if shot.given.cheats and len(shot.model.errors):
        return "The held-out points had a say in the preparation: these errors are too good."
    return None


def _opening(shot: Shot) -> str:
    given, kept = shot.given, len(shot.given.kept)
    words = f"{given.title} will be fitted {counted(shot.model.splits, 'time')} on {counted(len(given.desk), 'point')}"
    return words + (f"; {counted(kept, 'point')} are kept aside and locked." if kept else ".")


def _trial(shot: Shot) -> str:
    model, labelled = shot.model, shot.given.data.is_labelled
    return (
        f"Split {len(model.errors)} of {model.splits}: {counted(len(shot.shown.tested), 'point')} that it has never "
        f"seen, {rate(shot.metrics['error'], labelled)}; on average {rate(model.mean, labelled)}."
    )


def _choice(shot: Shot) -> str:
    """After the inner cross-validation."""
    shown, best = shot.shown, best_of(shot.shown.inner)
    assert best is not None
    return (
        f"Inside the learning points of split {len(shot.model.errors) + 1}, {shown.chosen} is best "
        f"({rate(best.mean, shot.given.data.is_labelled)}): this number chose, so it is too good."
    )


def _done(shot: Shot) -> str:
    """All splits."""
    model, labelled = shot.model, shot.given.data.is_labelled
    text = f"Held out, {rate(model.mean, labelled)} on average, ± {number(model.spread)} as the splits scatter."
    if shot.given.cheats:
        bought = float(model.honest.mean()) - model.mean
        text += (
            f" Looking at all points first has bought {number(bought)}: honestly it is {number(model.mean + bought)}."
        )
    if len(model.inner):
        text += f" The inner errors, which chose, promised {number(float(model.inner.mean()))}."
    return text


def _opened(shot: Shot) -> str:
    """The test third."""
    model, labelled = shot.model, shot.given.data.is_labelled
    return (
        f"The lock is open: on {counted(len(shot.given.kept), 'point')} that nothing was chosen by, "
        f"{rate(model.test_error, labelled)}; cross-validation had said {rate(model.mean, labelled)}. It is an honest "
        "number only this once."
    )


CAPTIONS = {"split": _opening, "choose": _choice, "test": _trial, "mean": _done, "open": _opened}
