"""The words of the help: prose from a method's docstring, without what only a reader of the source wants to see."""

from __future__ import annotations

import inspect
import re
import sys

from algorithms.contract import Algorithm

_REFERENCE = re.compile(r"Reference|.*(§|\bsections? \d|\b1[5-9]\d\d\b|\b20\d\d\b)", re.DOTALL)
_INDEX = re.compile(r"(?<=[A-Za-zα-ωΑ-Ω])_(?:\{([\w+-]+)\}|([A-Za-z0-9]{1,3}))(?![A-Za-z0-9])")
_LOWERED = str.maketrans("0123456789+-aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_POWER = re.compile(r"\^(\d+)")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SENTENCE_END = re.compile(r"(?<=[^.]\.) (?=[A-ZΑ-Ω*\"]|k-)")


def idea(method: Algorithm) -> list[str]:
    """The paragraphs of the docstring: whole sentences only, without formulae and without the closing reference."""
    text = inspect.cleandoc(sys.modules[method.run.__module__].__doc__ or method.summary)
    parts = [part for part in text.split("\n\n") if not part.startswith(" ")]
    if len(parts) > 1 and _REFERENCE.match(parts[-1]):
        parts.pop()
    if parts[0].startswith(title := f"{method.title}: "):  # it stands above
        parts[0] = parts[0][len(title) :][:1].upper() + parts[0][len(title) + 1 :]
    found = [_whole_sentences(" ".join(part.split()), first=not number) for number, part in enumerate(parts)]
    return [typographic(paragraph) for paragraph in found if paragraph]


def _whole_sentences(paragraph: str, first: bool) -> str:
    """The paragraph without the end of a sentence that began before a formula, or the beginning of one that it ends."""
    sentences = _SENTENCE_END.split(paragraph)
    if not first and sentences[0][:1].islower() and not sentences[0].startswith("k-"):
        del sentences[0]
    if sentences and sentences[-1].endswith(":"):
        sentences[-1] = sentences[-1][:-1] + "."
    elif sentences and not sentences[-1].endswith((".", "?")):
        del sentences[-1]
    return " ".join(sentences)


def typographic(text: str) -> str:
    """A text of the source as a book would print it: no marks of emphasis or code, indices and powers in place."""
    text = re.sub(r":\w+:`~?([^`]*)`", r"\1", text).replace("``", "")
    text = re.sub(r"(?<!\w)\*(\w[^*]*\w|\w)\*(?!\w)", r"\1", text)
    for plain, printed in (("<-", "←"), ("->", "→"), ("<=", "≤"), (">=", "≥")):
        text = text.replace(plain, printed)
    text = _INDEX.sub(_index, text)
    return _POWER.sub(lambda power: power[1].translate(_RAISED), text)


def _index(found: re.Match[str]) -> str:
    letters = found[1] or found[2]
    lowered = letters.translate(_LOWERED)
    untouched = any(before == after for before, after in zip(letters, lowered))
    return found[0] if untouched else lowered
