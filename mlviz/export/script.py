"""A run as a Python script: one file with the points inside that gives the same numbers again, without a window. No Qt.

Small data is written as readable numbers, larger data as text that NumPy unpacks; both are exact to the last bit.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import io
import textwrap
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from algorithms.contract import Algorithm, Case, Counterpart, FrozenDict, arrays_in
from algorithms.data import Array, Data, GraphSet, Nothing, Points
from algorithms.params import as_dict
from mlviz import __version__

MOST_READABLE = 1200
"""Numbers in an array up to which it is written as numbers."""
WIDTH = 110


def script(
    algorithm: Algorithm,
    data: Data,
    params: Any,
    seed: int,
    resumed: bool = False,
    warnings: Sequence[str] = (),
) -> str:
    """The source of a script that reproduces the run.

    A run that went on from an earlier state (``resumed``) begins anew in the script, which says so. What deserves doubt
    in the result (``warnings``) is said above the code and beside the comparison.
    """
    other = counterpart(algorithm, data, params, seed)
    parts = [
        _head(algorithm, data, resumed, "scikit-learn" if other is None else other.package),
        _imports(data),
        _data(data),
        "\n".join(f"# Warning: {warning}" for warning in warnings),
        f"SEED = {seed}\nPARAMS = {_dictionary(as_dict(params))}",
        _run(algorithm),
        _elsewhere(other, warnings),
        _main(algorithm, other),
    ]
    return "\n\n".join(part.strip("\n") + "\n" for part in parts if part).replace('"""\n\n\n', '"""\n\n', 1)


def counterpart(algorithm: Algorithm, data: Data, params: Any, seed: int) -> Counterpart | None:
    """The nearest estimator elsewhere, or None when there is none for this method and these parameters."""
    if algorithm.counterpart is None:
        return None
    begin = functools.partial(algorithm.start, data, params, seed)
    return algorithm.counterpart(params, Case(data, seed, begin))


def _counted(data: Data) -> str:
    return f"{data.n} points, {data.d} features" if isinstance(data, Points) else data.counted()


def _head(algorithm: Algorithm, data: Data, resumed: bool, package: str) -> str:
    lines = [
        f"{algorithm.title} on {data.name}, as run in mlviz {__version__}: {_counted(data)}.",
        "",
        f"The hash of the data (SHA-256{' of X and y' if isinstance(data, Points) else ''}) is {data.sha256}.",
        f"It needs the package mlviz (of which it uses `algorithms`); {package} is used if it is there.",
    ]
    if resumed:
        lines.append("In the window the run went on from an earlier state; this script begins at the beginning.")
    text = _quoted("\n".join(lines))
    return f'"""{text}\n"""'


def _quoted(text: str) -> str:
    """A text as it stands in a docstring."""
    return text.replace("\\", "\\\\").replace('"""', "'''")


def _imports(data: Data) -> str:
    lines = ["import base64", "import io", "import zlib", ""] if _is_packed(data) else []
    kinds = {type(data).__name__, *(("Graph",) if isinstance(data, GraphSet) else ())} - {"Nothing"}
    return "\n".join([*lines, "import numpy as np", "", f"from algorithms import {', '.join([*sorted(kinds), 'fit'])}"])


def _is_packed(data: Data) -> bool:
    return any(array.size > MOST_READABLE for array in arrays_in(data))


def _data(data: Data) -> str:
    lines = [_UNPACKED] if _is_packed(data) else []
    if isinstance(data, Points):
        X, y = data.query(), data.y
        lines += [f"X = {_array(X)}", "y = None" if y is None else f"y = {_array(y)}"]
        lines.append(f"data = {_value(data, {'X': 'X', 'y': 'y'})}")
    else:
        lines.append("data = None" if isinstance(data, Nothing) else f"data = {_value(data)}")
    return "\n".join(lines)


def _value(value: Any, known: Mapping[str, str] = FrozenDict()) -> str:
    """The source of a value: arrays, tuples and data; ``known`` parts have a name already and come first."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, tuple) and any(isinstance(part, np.ndarray | Data) for part in value):
        return f"[{', '.join(map(_value, value))}]"
    if not isinstance(value, Data):
        return repr(value)
    parts = list(known.values())
    for field in dataclasses.fields(value):  # type: ignore[arg-type]
        own = getattr(value, field.name)
        if field.name not in known and not (own is None or own is False or (isinstance(own, tuple | str) and not own)):
            parts.append(f"{field.name}={_value(own)}")
    return f"{type(value).__name__}({', '.join(parts)})"


_UNPACKED = '''
def unpacked(text):
    """The array that was packed into the text, exactly."""
    return np.load(io.BytesIO(zlib.decompress(base64.b85decode(text))), allow_pickle=False)


'''.lstrip("\n")


def _array(values: Array) -> str:
    if values.size <= MOST_READABLE:
        numbers = repr(values.tolist())
        if len(numbers) < WIDTH - 15:
            return f"np.array({numbers})"
        filled = textwrap.fill(numbers, WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
        return f"np.array(\n{filled}\n)"
    content = io.BytesIO()
    np.save(content, values, allow_pickle=False)
    text = base64.b85encode(zlib.compress(content.getvalue(), 9)).decode()
    rows = (repr(text[start : start + WIDTH - 10]) for start in range(0, len(text), WIDTH - 10))
    return "unpacked(\n    " + "\n    ".join(rows) + "\n)"


def _dictionary(values: dict[str, Any]) -> str:
    return "{\n" + "".join(f"    {name!r}: {value!r},\n" for name, value in values.items()) + "}"


def _run(algorithm: Algorithm) -> str:
    return f'''
def run():
    """The run itself: the last state, why it stopped, and the metrics of every step."""
    return fit({algorithm.key!r}, data, seed=SEED, **PARAMS)
'''


def _elsewhere(other: Counterpart | None, warnings: Sequence[str]) -> str:
    if other is None:
        return "# scikit-learn has no counterpart of this method with these parameters."
    imports = textwrap.indent(other.imports, "    ")
    caveats = [other.caveat, *(f"Ours has a warning: {warning}" for warning in warnings)]
    said = textwrap.fill(
        _quoted(" ".join(filter(None, caveats))), WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4
    )
    caveat = f"\n\n{said}\n    " if said else ""
    make = textwrap.fill(other.make, WIDTH, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)
    made = f"estimator = {make}\n    return estimator.fit(X{', y' if other.target else ''})"
    what = "estimator in scikit-learn, fitted to the same points" if other.estimator else f"answer of {other.package}"
    return f'''
def {_function(other)}():
    """The nearest {what}.{caveat}"""
{imports}

    {made if other.estimator else f"return {make}"}


def difference(ours, theirs):
    """The {other.measure}."""
    return float({other.difference})
'''


def _function(other: Counterpart) -> str:
    """The name of the function of another library in the script."""
    return other.package.replace("-", "_")


def _main(algorithm: Algorithm, other: Counterpart | None) -> str:
    counted = "" if algorithm.count is None else " ({ours.algorithm.counted_at(ours.model)})"
    compare = ""
    if other is not None:
        compare = f"""
    try:
        theirs = {_function(other)}()
    except ImportError:
        print("{other.package} is not installed, so there is nothing to compare with.")
    except Exception as error:  # it may refuse data on which ours has an answer
        print(f"{other.package} has no answer for these data: {{error}}")
    else:
        print(f"{other.package}: the {other.measure} is {{difference(ours, theirs):.3g}}")
"""
    return f'''
def main():
    """Run it and print what came out."""
    ours = run()
    print(f"{{ours.algorithm.title}}: {{ours.steps}} steps{counted}; {{ours.reason}}")
    for name, values in ours.metrics.items():
        if values[-1] == values[-1]:  # NaN where it is not known
            print(f"  {{name}} = {{values[-1]:.6g}}")
    for warning in ours.warnings:
        print(f"warning: {{warning}}")
{compare.lstrip(chr(10))}

if __name__ == "__main__":
    main()
'''
