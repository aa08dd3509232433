"""A name with named values, such as ``moons(n=300,noise=0.1)``: how data and methods are written in one line.

Read by Python's own parser, but nothing is ever run: values are numbers, texts, lists of them, or plain words.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from typing import Any

from algorithms.maths.words import SentenceError

MAX_LETTERS = 2_000
"""Longer texts are no calls; the limit keeps Python's own parser out of trouble."""

CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*(\(.*\))?\s*", re.DOTALL)
_WORDS = {"true": True, "false": False}


class NoCall(SentenceError):
    """The text is no call at all."""


class WrongValue(SentenceError):
    """It is a call, but a value in it cannot be read."""


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the values of a call, in the order in which they are given; or :class:`SentenceError`."""
    match = CALL.fullmatch(text)
    if match is None or len(text) > MAX_LETTERS:
        raise NoCall(f"{text!r} is not written like name(n=300,noise=0.1).")
    name = match[1]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of odd spellings such as 1and; they are refused below
            call = ast.parse("f" + (match[2] or "()").strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NoCall(f"{text!r} is not written like name(n=300,noise=0.1).") from error
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise NoCall(f"{text!r} is not written like name(n=300,noise=0.1).")
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise WrongValue(f"Every value of {name} needs its name: write {name}(n=300), not {name}(300).")
    values: dict[str, Any] = {}
    for keyword in call.keywords:
        assert keyword.arg is not None
        if keyword.arg in values:
            raise WrongValue(f"{name} is given {keyword.arg} twice.")
        values[keyword.arg] = _literal(keyword.value, f"{keyword.arg} of {name}")
    return name, values


def written_call(name: str, values: Mapping[str, Any]) -> str:
    """The call as one writes it; the name alone where there are no values."""
    return f"{name}({','.join(f'{key}={value!r}' for key, value in values.items())})" if values else name


def _literal(node: ast.expr, what: str) -> Any:
    """The value of a number, a text, a list of them, or a plain word."""
    if isinstance(node, ast.Name):
        return _WORDS.get(node.id, node.id)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise WrongValue(f"The value of {what} must be a number or a word, not a formula.") from error
