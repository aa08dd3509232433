"""Counts and numbers as captions and messages write them: one wording for all methods."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

UNKNOWN = "–"
"""In place of a number that is not known yet: a metric that is NaN."""
MOST_QUOTED, MOST_LETTERS, MOST_READ = 80, 1500, 20_000
"""How much of a cell or an argument a sentence quotes, how long a sentence may be, and how much of one is looked at."""
ROUNDING = 1e-12
"""A number below this fraction of what it is computed from is nought."""
_QUOTED = re.compile(r"(?<!\w)(['\"])((?:(?!\1).)*)\1")  # the apostrophe inside a word opens no quotation


class SentenceError(ValueError):
    """An error whose message is a full sentence for the user, whatever it quotes from a file or a command line."""

    def __init__(self, message: str = "", *more: object) -> None:
        super().__init__(readable(message), *more)


def readable(message: str) -> str:
    """The message in one line, with long quotations shortened."""
    text = str(message)
    if len(text) > 2 * MOST_READ:  # its end says what is wrong, and closes a quotation
        text = text[:MOST_READ] + text[-MOST_READ:]
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    line = re.sub(" {3,}", " ", line)
    line = _QUOTED.sub(_shortened, line)
    return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1].rstrip() + "…"


def _shortened(quoted: re.Match[str]) -> str:
    mark, text = quoted[1], quoted[2]
    return quoted[0] if len(text) <= MOST_QUOTED else f"{mark}{text[: MOST_QUOTED - 20]}…{mark}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 point``, ``2 points``, ``1,000 series``, ``2 leaves`` where the plural is given."""
    if not plural:
        plural = noun if noun.endswith("s") else noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count:,} {noun if count == 1 else plural}"


def are(count: int, one: str = "is", many: str = "are") -> str:
    """The verb that agrees with a count: ``1 point is``, ``2 points are``; ``are(1, "lies", "lie")``."""
    return one if count == 1 else many


def listed(items: Iterable[str], last: str = "and") -> str:
    """A list as a sentence writes it: ``a``, ``a and b``, ``a, b and c``."""
    *others, end = items
    return f"{', '.join(others)} {last} {end}" if others else end


def of_class(name: str) -> str:
    """A class by its name: ``class 'setosa'``, and ``class 1`` where that is all its name says.

    A name that is a number of many digits is rounded.
    """
    if re.fullmatch(r"[-+]?\d*\.\d{5,}(e[-+]?\d+)?", name):
        name = number(float(name))
    return name if name.startswith("class ") else f"class {name!r}"


def number(value: float, beside: float = 0.0) -> str:
    """Four digits that count: ``0.1235``, ``13,231``, ``1.235e+07``; nought has no sign, what is not known is a dash.

    The whole part is never rounded below ten million. With ``beside``, the size of what it is computed from, a number
    that is only rounding is nought.
    """
    if math.isnan(value):
        return UNKNOWN
    if abs(value) <= ROUNDING * abs(beside):
        return "0"
    return f"{value:,.0f}" if 999.95 <= abs(value) < 1e7 else f"{value:z.4g}"


def signed(value: float) -> str:
    """The same with its sign: ``+0.1235``."""
    text = number(value)
    return text if text.startswith("-") or text == UNKNOWN else f"+{text}"


def percent(fraction: float, form: str = ".3g") -> str:
    """A part of a whole: ``12.3 %``."""
    return UNKNOWN if math.isnan(fraction) else f"{100.0 * fraction:{form}} %"


def share(fraction: float) -> str:
    """The same, but less than all is never rounded to 100 %: ``99.98 %``, ``over 99.99 %``."""
    if not 0.99995 <= fraction < 1.0 - ROUNDING:
        text = percent(fraction)
        return percent(fraction, ".4g") if text == "100 %" and fraction < 1.0 - ROUNDING else text
    return "over 99.99 %"


def capital(text: str) -> str:
    """The text as a sentence begins; the rest of it keeps its letters."""
    return text[:1].upper() + text[1:]


def between(low: float, high: float, form: Callable[[float], str] = number) -> str:
    """Where numbers lie: ``between 1 and 2``, or ``all 1`` where the same digits would be printed."""
    first, last = form(low), form(high)
    return f"all {first}" if first == last else f"between {first} and {last}"


def change(name: str, before: float, after: float, form: Callable[[float], str] = number) -> str:
    """What became of a number: ``J falls from 3 to 2``, or ``J stays 2`` where the same digits would be printed."""
    old, new = form(before), form(after)
    if math.isnan(before):
        return f"{name} is {new}"
    if old == new:
        return f"{name} stays {new}"
    return f"{name} {'falls' if after < before else 'rises'} from {old} to {new}"
