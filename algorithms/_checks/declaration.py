"""What an algorithm says about itself: names, parameters, pseudo-code."""

from __future__ import annotations

import dataclasses
import functools
import re
import string
from typing import Any

from algorithms._checks import cases
from algorithms._checks.rule import ContractError, require, strict
from algorithms._checks.values import (
    is_generator_call,
    is_sentence,
)
from algorithms.contract import Algorithm, Case, Try
from algorithms.params import Field, ParamError, bad_values
from algorithms.registry import families, find


@strict
def check_identity(algorithm: Algorithm) -> None:
    """The key is the module's name, the family its package, and nothing a reader looks for is empty."""
    package, _, name = algorithm.run.__module__.rpartition(".")
    require(algorithm.key == name.lstrip("_"), f"The key is {algorithm.key!r} but the module is {name!r}.")
    require(algorithm.family in families(), f"{algorithm.family!r} is not a family; there are {families()}.")
    home = package.removeprefix("algorithms.")
    if home in families():
        require(algorithm.family == home, f"The family is {algorithm.family!r} but the package is {home!r}.")
    for attribute in ("title", "reference"):
        require(bool(getattr(algorithm, attribute).strip()), f"The {attribute} is empty.")
    require(is_sentence(algorithm.summary), f"The summary is not a sentence: {algorithm.summary!r}.")
    require(is_generator_call(algorithm.example), f"The example is not a generator call: {algorithm.example!r}.")


@strict
def check_schema(algorithm: Algorithm) -> None:
    """Every parameter has a kind, a range, a default inside it, and a sentence of explanation."""
    declared: Any = algorithm.params
    require(dataclasses.is_dataclass(declared), "Params is not a dataclass.")
    require(declared.__dataclass_params__.frozen, "Params is not frozen.")
    try:
        fields = {field.name: field for field in algorithm.fields}
    except TypeError as error:
        raise ContractError(f"The declaration of the parameters is incomplete: {error}.") from error
    for field in fields.values():
        require(is_sentence(field.doc), f"The Doc of {field.name} is not a sentence: {field.doc!r}.")
        if field.low is not None and field.high is not None:
            require(field.low < field.high, f"The range of {field.name} is empty.")
            require(not field.log or field.low > 0, f"{field.name} is Log but its range reaches {field.low:g}.")
        if field.when is not None:
            require(field.when.name in fields, f"{field.name} depends on {field.when.name!r}, which does not exist.")
            other = fields[field.when.name]
            for value in field.when.values:
                require(_accepts(other, value), f"{field.name} waits for {other.name} = {value!r}, which cannot be.")


@strict
def check_help(algorithm: Algorithm) -> None:
    """There are a formula in LaTeX and two things to try: sentences with data and parameters that exist."""
    require(len(algorithm.formulas) >= 1, "There is no formula for the help: give at least one in LaTeX.")
    require(len(algorithm.tries) >= 2, "The help needs at least two things to try.")
    for formula in algorithm.formulas:
        is_line = bool(formula.strip()) and "$" not in formula and formula.count("{") == formula.count("}")
        require(is_line, f"The formula {formula!r} is not the LaTeX of one line, without dollars.")
    for item in algorithm.tries:
        require(is_sentence(item.text), f"What to try is not a sentence: {item.text!r}.")
        known = item.data == "" or is_generator_call(item.data)
        require(known, f"The data of {item.text!r} are not a generator call: {item.data!r}.")
        _check_params(algorithm, item)
    for item in algorithm.related:
        require(is_sentence(item.text), f"What is related is not a sentence: {item.text!r}.")
        _check_params(find(item.method), item)


def _check_params(algorithm: Algorithm, item: Try) -> None:
    try:
        algorithm.make_params(item.params)
    except ParamError as error:
        raise ContractError(f"The parameters of {item.text!r} do not exist: {error}") from error


def _accepts(field: Field, value: Any) -> bool:
    try:
        return bool(field.check(value) == value)
    except ParamError:
        return False


@strict
def check_bad_values_are_refused(algorithm: Algorithm) -> None:
    """Values outside the declaration are refused with the parameter's name; both ends of a range are allowed."""
    for field in algorithm.fields:
        for value in bad_values(field):
            _refused(algorithm, field.name, value)
        for end in cases.ends(field):
            kept = getattr(algorithm.make_params({field.name: end}), field.attribute)
            require(kept == end, f"{field.name} = {end!r} became {kept!r}.")
    _refused(algorithm, "no_such_parameter", 1)


def _refused(algorithm: Algorithm, name: str, value: Any) -> None:
    try:
        algorithm.make_params({name: value})
    except ParamError as error:
        named = re.search(rf"\b{re.escape(name)}\b", str(error))
        require(named is not None, f"Refusing {name} = {value!r} does not name the parameter: {error}")
        require(str(error).endswith("."), f"Refusing {name} = {value!r} is not a sentence: {error}")
    else:
        raise ContractError(f"{name} = {value!r} was accepted.")


@strict
def check_pseudocode(algorithm: Algorithm) -> None:
    """Every phase lights a line, no line waits for a phase that never comes, the placeholders are metrics."""
    lit = {phase for line in algorithm.pseudocode for phase in line.phases}
    seen = {frame.phase for _, frame in cases.many_frames(algorithm)}
    require(seen <= lit, f"No line of the pseudo-code is lit in the phase {sorted(seen - lit)}.")
    require(lit <= seen, f"The pseudo-code waits for the phase {sorted(lit - seen)}, which no variant ever reaches.")
    names = {metric.name for metric in algorithm.metrics}
    for line in algorithm.pseudocode:
        require(bool(line.text.strip()), "A line of the pseudo-code is empty.")
        for _, placeholder, *_ in _pieces(line.text):
            known = placeholder is None or placeholder in names
            require(known, f"The pseudo-code asks for {{{placeholder}}}, which is not a metric.")


def _pieces(text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(string.Formatter().parse(text))
    except ValueError as error:
        raise ContractError(f"The braces of the pseudo-code {text!r} do not match.") from error


@strict
def check_counterpart(algorithm: Algorithm) -> None:
    """The same in another library is source code that can be read, with and without a case, for every variant."""
    if algorithm.counterpart is None:
        return
    for recording in cases.recordings(algorithm):
        begin = functools.partial(algorithm.start, recording.data, recording.params, 0)
        for case in (None, Case(recording.data, 0, begin)):
            found = algorithm.counterpart(recording.params, case)
            if found is None:
                continue
            for name, mode in (("imports", "exec"), ("make", "eval"), ("difference", "eval")):
                source = getattr(found, name)
                try:
                    compile(source, name, mode)
                except SyntaxError as error:
                    raise ContractError(f"The {name} of the counterpart are no Python: {source!r}.") from error
            require(found.measure.strip() != "", "The counterpart does not say what its difference measures.")
            fair = found.caveat == "" or is_sentence(found.caveat)
            require(fair, f"The caveat of the counterpart is no sentence: {found.caveat!r}.")
