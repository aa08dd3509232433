"""The captions of choosing a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.maths.sweeps import Cell
from algorithms.maths.validation import rate, scatter
from algorithms.maths.words import counted, number

if TYPE_CHECKING:
    from algorithms.evaluation.model_selection import Shot


def _setting(shot: Shot) -> str:
    """``C = 1, sigma = 0.5``."""
    values = shot.given.values(_found(shot).place).items()
    return ", ".join(f"{name} = {number(value) if isinstance(value, float) else value}" for name, value in values)


def _found(shot: Shot) -> Cell:
    assert shot.shown.found is not None
    return shot.shown.found


def _error(shot: Shot) -> str:
    """The held-out error of the setting."""
    return f"{rate(_found(shot).mean, shot.given.data.is_labelled)} on held-out points"


def _looked(shot: Shot) -> str:
    """A setting that the user has chosen or points at; its error may not be known yet."""
    found = _found(shot)
    setting = f"{_setting(shot)}" if shot.shown.looked == "pointed at" else f"You look at {_setting(shot)}"
    if found.refusal:
        return f"{_setting(shot)} is refused: {found.refusal}"
    if not len(found.errors):
        return f"{_setting(shot)} has not been tried yet."
    return f"{setting}: {_error(shot)}, standard error {scatter(found.standard_error, shot.given.data.is_labelled)}."


def _opening(shot: Shot) -> str:
    if shot.shown.looked:
        return _looked(shot)
    given, count = shot.given, shot.model.errors.size
    text = f"{counted(count, 'setting')} of {given.title}, each fitted {counted(given.splits, 'time')}, come one after "
    text += "the other, a coarse grid first."
    aside = len(given.kept)
    return text + (f" {counted(aside, 'point')} {'is' if aside == 1 else 'are'} kept aside." if aside else "")


def _tried(shot: Shot) -> str:
    if shot.shown.looked:
        return _looked(shot)
    head = f"Setting {shot.model.known} of {shot.model.errors.size}, {_setting(shot)}"
    if _found(shot).refusal:
        return f"{head}, is refused: {_found(shot).refusal}"
    return f"{head}: {_error(shot)}" + (", the best so far." if shot.shown.better else ".")


def _chosen(shot: Shot) -> str:
    if shot.shown.looked:
        return _looked(shot)
    error = scatter(_found(shot).standard_error, shot.given.data.is_labelled)
    text = f"{_setting(shot)} is chosen: {_error(shot)}, standard error {error}"
    ties = shot.shown.ties
    if ties:
        text += f"; {counted(ties, 'other setting')} {'is' if ties == 1 else 'are'} within one standard error"
    return text + ". The setting was chosen by this number, so it is a little too good."


def _opened(shot: Shot) -> str:
    if shot.shown.looked:
        return _looked(shot)
    labelled = shot.given.data.is_labelled
    return (
        f"On {counted(len(shot.given.kept), 'point')} that were kept aside: {rate(shot.model.test_error, labelled)}; "
        f"cross-validation had said {rate(_found(shot).mean, labelled)}. It is an honest number only this once."
    )


CAPTIONS = {"grid": _opening, "cell": _tried, "choose": _chosen, "open": _opened}
