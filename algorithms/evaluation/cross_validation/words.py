"""What is said about trials."""

from __future__ import annotations

from algorithms.maths.validation import rate
from algorithms.maths.words import counted, number


def opening(title: str, splits: int, kept: int, aside: int) -> str:
    """Before the first trial."""
    words = f"{title} will be fitted {counted(splits, 'time')} on {counted(kept, 'point')}"
    return words + (f"; {counted(aside, 'point')} are kept aside and locked." if aside else ".")


def trial(number_of: int, total: int, tested: int, error: float, mean: float, labelled: bool) -> str:
    """After a test."""
    return (
        f"Split {number_of} of {total}: {counted(tested, 'point')} that it has never seen, {rate(error, labelled)}; "
        f"on average {rate(mean, labelled)}."
    )


def choice(number_of: int, setting: str, error: float, labelled: bool) -> str:
    """After the inner cross-validation."""
    return (
        f"Inside the learning points of split {number_of}, {setting} is best ({rate(error, labelled)}): this number "
        "chose, so it is too good."
    )


def done(mean: float, spread: float, labelled: bool, optimism: float | None, inner: float | None) -> str:
    """All splits."""
    text = f"Held out, {rate(mean, labelled)} on average, ± {number(spread)} as the splits scatter."
    if optimism is not None:
        text += f" Looking at all points first has bought {number(optimism)}: honestly it is {number(mean + optimism)}."
    if inner is not None:
        text += f" The inner errors, which chose, promised {number(inner)}."
    return text


def opened(error: float, mean: float, count: int, labelled: bool) -> str:
    """The test third."""
    return (
        f"The lock is open: on {counted(count, 'point')} that nothing was chosen by, {rate(error, labelled)}; "
        f"cross-validation had said {rate(mean, labelled)}. It is an honest number only this once."
    )
