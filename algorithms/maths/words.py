"""Counts and numbers as captions and messages write them: one wording for all methods."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 point``, ``2 points``, ``1,000 series``, ``2 leaves`` where the plural is given."""
    if not plural:
        plural = noun if noun.endswith("s") else noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count:,} {noun if count == 1 else plural}"


def number(value: float) -> str:
    """Four digits that count: ``0.1235``, ``1.235e+06``."""
    return f"{value:.4g}"


def signed(value: float) -> str:
    """The same with its sign: ``+0.1235``."""
    return f"{value:+.4g}"


def capital(text: str) -> str:
    """The text as a sentence begins; the rest of it keeps its letters."""
    return text[:1].upper() + text[1:]
