"""A run as a Python script: one file with the points inside that gives the same numbers again, without a window. No Qt.

Small data is written as readable numbers, larger data as text that NumPy unpacks; both are exact to the last bit.
"""

from __future__ import annotations

import base64
import io
import textwrap
import zlib
from typing import Any

import numpy as np

from algorithms.contract import Algorithm
from algorithms.data import Array, Points
from algorithms.params import as_dict
from mlviz import __version__
from mlviz.export.counterparts import Counterpart, counterpart
from mlviz.export.parameters import data_hash

MOST_READABLE = 1200
"""Numbers in an array up to which it is written as numbers."""
WIDTH = 110


def script(algorithm: Algorithm, data: Points, params: Any, seed: int, resumed: bool = False) -> str:
    """The source of a script that reproduces the run.

    A run that went on from an earlier state (``resumed``) begins anew in the script, which says so.
    """
    other = counterpart(algorithm, data, params, seed)
    parts = [
        _head(algorithm, data, resumed),
        _imports(data),
        _points(data),
        f"SEED = {seed}\nPARAMS = {_dictionary(as_dict(params))}",
        _run(algorithm),
        _scikit_learn(other),
        _main(other),
    ]
    return "\n\n".join(part.strip("\n") + "\n" for part in parts if part).replace('"""\n\n\n', '"""\n\n', 1)


def _head(algorithm: Algorithm, data: Points, resumed: bool) -> str:
    lines = [
        f"{algorithm.title} on {data.name}, as run in mlviz {__version__}: {data.n} points, {data.d} features.",
        "",
        f"The hash of the data (SHA-256 of X and y) is {data_hash(data)}.",
        "It needs the package mlviz (of which it uses `algorithms`); scikit-learn is used if it is there.",
    ]
    if resumed:
        lines.append("In the window the run went on from an earlier state; this script begins at the beginning.")
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""'


def _imports(data: Points) -> str:
    packed = data.X.size > MOST_READABLE
    lines = ["import base64", "import io", "import zlib", ""] if packed else []
    return "\n".join([*lines, "import numpy as np", "", "from algorithms import Points, fit"])


def _points(data: Points) -> str:
    names = {"features": data.features, "classes": data.classes, "target": data.target, "name": data.name}
    given = "".join(f", {name}={value!r}" for name, value in names.items() if value)
    lines = []
    if data.X.size > MOST_READABLE:
        lines.append(_UNPACKED)
    lines.append(f"X = {_array(data.X)}")
    lines.append("y = None" if data.y is None else f"y = {_array(data.y)}")
    lines.append(f"data = Points(X, y{given})")
    return "\n".join(lines)


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


def _scikit_learn(other: Counterpart | None) -> str:
    if other is None:
        return "# scikit-learn has no counterpart of this method with these parameters."
    imports = textwrap.indent(other.imports, "    ")
    caveat = f"\n\n    {other.caveat}\n    " if other.caveat else ""
    make = textwrap.fill(other.make, WIDTH, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)
    return f'''
def scikit_learn():
    """The nearest estimator in scikit-learn, fitted to the same points.{caveat}"""
{imports}

    estimator = {make}
    return estimator.fit(X{", y" if other.target else ""})


def difference(ours, theirs):
    """The {other.measure}."""
    return float({other.difference})
'''


def _main(other: Counterpart | None) -> str:
    compare = ""
    if other is not None:
        compare = f"""
    try:
        theirs = scikit_learn()
    except ImportError:
        print("scikit-learn is not installed, so there is nothing to compare with.")
    else:
        print(f"scikit-learn: the {other.measure} is {{difference(ours, theirs):.3g}}")
"""
    return f'''
def main():
    """Run it and print what came out."""
    ours = run()
    print(f"{{ours.algorithm.title}}: {{ours.stop.words}} after {{ours.steps}} steps")
    for name, values in ours.metrics.items():
        print(f"  {{name}} = {{values[-1]:.6g}}")
{compare.lstrip(chr(10))}

if __name__ == "__main__":
    main()
'''
