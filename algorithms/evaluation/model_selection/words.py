"""What is said about the choice of a model."""

from __future__ import annotations

from typing import Any

from algorithms.maths.sweeps import Cell
from algorithms.maths.validation import rate
from algorithms.maths.words import counted


def setting(values: dict[str, Any]) -> str:
    """``C = 1, sigma = 0.5``."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def opening(title: str, count: int, splits: int, aside: int) -> str:
    """Before the first cell."""
    text = f"{counted(count, 'setting')} of {title}, each fitted {counted(splits, 'time')}; a coarse grid comes first."
    return text + (f" {counted(aside, 'point')} are kept aside and locked." if aside else "")


def cell(number: int, total: int, values: dict[str, Any], found: Cell, best: bool, labelled: bool) -> str:
    """After a cell."""
    if found.refusal:
        return f"Setting {number} of {total}, {setting(values)}, is refused: {found.refusal}"
    text = f"Setting {number} of {total}, {setting(values)}: held out, {rate(found.mean, labelled)}"
    return text + (", the best so far." if best else ".")


def choice(values: dict[str, Any], best: Cell, ties: int, labelled: bool) -> str:
    """The best of all."""
    text = f"{setting(values)} is chosen: held out, {rate(best.mean, labelled)} ± {best.standard_error:.2g}"
    text += f"; {counted(ties, 'other setting')} within one standard error." if ties else "."
    return text + " This number has chosen, so it is a little too good."


def look(values: dict[str, Any], found: Cell, labelled: bool) -> str:
    """A cell that the user points at."""
    if found.refusal:
        return f"{setting(values)} is refused: {found.refusal}"
    return f"You look at {setting(values)}: held out, {rate(found.mean, labelled)} ± {found.standard_error:.2g}."


def glance(values: dict[str, Any], found: Cell, labelled: bool) -> str:
    """A cell under the mouse, whose error may not be known yet."""
    if found.refusal or not len(found.errors):
        return f"{setting(values)} {f'is refused: {found.refusal}' if found.refusal else 'has not been tried yet.'}"
    return f"{setting(values)}: held out, {rate(found.mean, labelled)} ± {found.standard_error:.2g}"


def opened(error: float, best: Cell, count: int, labelled: bool) -> str:
    """The test third."""
    return (
        f"The lock is open: on {counted(count, 'point')} that nothing was chosen by, {rate(error, labelled)}; the "
        f"choice had promised {rate(best.mean, labelled)}. It is an honest number only this once."
    )
