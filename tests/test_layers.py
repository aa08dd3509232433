"""The layers: imports point down only, and Qt stays where it belongs. Read from the source, whatever happens to run."""

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

EVERYTHING = {"algorithms", "mlviz", "paths", "session", "data", "worker", "views", "export", "ui", "app", "cli"}
BELOW: dict[str, set[str]] = {
    "algorithms": set(),
    "mlviz": set(),  # the package's own __init__: the version and nothing else
    "paths": set(),
    "session": {"algorithms", "mlviz", "paths"},
    "data": {"algorithms", "mlviz", "paths"},
    "worker": {"session", "data", "algorithms", "mlviz", "paths"},
    "views": {"session", "data", "algorithms", "mlviz", "paths"},
    "export": {"views", "worker", "session", "data", "algorithms", "mlviz", "paths"},
    "ui": {"export", "views", "worker", "session", "data", "algorithms", "mlviz", "paths"},
    "app": EVERYTHING,
    "cli": EVERYTHING,
    "__main__": EVERYTHING,
}
"""What a part may import beside itself."""
QT = {"PySide6", "pyqtgraph", "shiboken6", "PyQt5", "PyQt6"}
WITH_QT = {"views", "export", "ui", "app"}
ORACLES = {"sklearn", "networkx", "hmmlearn", "matplotlib", "pytest", "hypothesis"}
"""Only tests may lean on these, and graph files on networkx, which reads some of them."""


def layer_of(module: str) -> str:
    """The part of the program a module belongs to: ``mlviz.views.canvas`` is in ``views``."""
    top, _, rest = module.partition(".")
    return (rest.partition(".")[0] or "mlviz") if top == "mlviz" else top


@functools.cache
def parsed(source: str) -> ast.Module:
    """The same file is looked at for several reasons, and reading it is what costs."""
    return ast.parse(source)


def imports(source: str) -> Iterator[str]:
    """Every module a file imports, also inside functions and under conditions; relative ones keep their dots."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            # ``from mlviz import views`` imports a part; ``from mlviz import __version__`` only the package.
            yield from (f"mlviz.{alias.name}" for alias in node.names if start == "mlviz" and alias.name in BELOW)
            yield start
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in ("import_module", "__import__"):
                yield str(node.args[0].value)


def faults(module: str, source: str) -> list[str]:
    """The broken rules of one file, as sentences."""
    layer = layer_of(module)
    if layer not in BELOW:
        return [f"{module} belongs to no layer."]
    found = []
    for name in imports(source):
        top, target = name.partition(".")[0], layer_of(name)
        if name.startswith("."):
            found.append(f"{module} imports {name} relatively.")
        elif top in ("mlviz", "algorithms"):
            if target != layer and target not in BELOW[layer]:
                found.append(f"{module} ({layer}) imports {name}, which is not below it.")
        elif top in ORACLES and not (top == "networkx" and layer == "data"):
            found.append(f"{module} imports {name}, which is for tests only.")
        elif top in QT and layer not in WITH_QT:
            found.append(f"{module} imports {name}, but {layer} must work without Qt.")
        elif layer == "algorithms" and top not in {"numpy", "scipy", *sys.stdlib_module_names}:
            found.append(f"{module} imports {name}; algorithms use NumPy and SciPy only.")
    return found


def files() -> list[Path]:
    return sorted(path for top in ("algorithms", "mlviz") for path in (ROOT / top).rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_all_files_keep_to_their_layer():
    assert len(files()) > 20
    assert [fault for path in files() for fault in faults(module_name(path), path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("algorithms.clustering.k_means", "import PySide6"),
        ("algorithms.clustering.k_means", "import mlviz.data.spec"),
        ("algorithms.clustering.k_means", "import pandas"),
        ("algorithms.clustering.k_means", "from sklearn.cluster import KMeans"),
        ("algorithms.graphs.shortest_paths", "import networkx as nx"),
        ("algorithms.clustering.k_means", "from . import seeding"),
        ("mlviz.session.document", "from mlviz.views.canvas import Canvas"),
        ("mlviz.session.document", "from mlviz import views"),
        ("mlviz.session.document", "from mlviz.data.spec import parse"),
        ("mlviz.data.spec", "from mlviz.session.document import Document"),
        ("mlviz.data.spec", "from PySide6.QtCore import QTimer"),
        ("mlviz.worker.engine", "from PySide6.QtCore import QTimer"),
        ("mlviz.worker.engine", "def late():\n    import pyqtgraph as pg"),
        ("mlviz.worker.engine", "if True:\n    from mlviz.views import canvas"),
        ("mlviz.worker.engine", "import importlib\nimportlib.import_module('PySide6.QtCore')"),
        ("mlviz.worker.engine", "__import__('mlviz.ui.window')"),
        ("mlviz.views.canvas", "from mlviz.worker.engine import Engine"),
        ("mlviz.views.canvas", "from mlviz.export.images import save"),
        ("mlviz.views.canvas", "import matplotlib.pyplot"),
        ("mlviz.export.images", "import mlviz.ui.window"),
        ("mlviz.ui.window", "from mlviz.app import main"),
        ("mlviz.ui.window", "from mlviz.cli import main"),
        ("mlviz.cli", "from PySide6.QtWidgets import QApplication"),
        ("mlviz.cli", "def window():\n    import PySide6"),
        ("mlviz", "from mlviz.ui import window"),
        ("mlviz.paths", "from mlviz.session.document import Document"),
        ("mlviz.utils", "x = 1"),
    ],
)
def test_a_broken_example_is_found(module, source):
    assert len(faults(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("algorithms.clustering.k_means", "import math\nimport numpy as np\nfrom scipy.spatial import cKDTree"),
        ("algorithms.clustering.k_means", "from algorithms.contract import Algorithm"),
        ("mlviz.session.document", "from algorithms import find\nfrom mlviz.session.history import History"),
        ("mlviz.worker.engine", "from mlviz.session.document import Document\nfrom mlviz.data.spec import parse"),
        ("mlviz.views.canvas", "import pyqtgraph as pg\nfrom mlviz.session.document import Document"),
        ("mlviz.export.images", "from mlviz import __version__\nfrom mlviz.worker import engine\nimport PIL.Image"),
        ("mlviz.ui.window", "import PySide6\nfrom mlviz import export, views\nfrom mlviz.paths import assets"),
        ("mlviz.cli", "def window():\n    from mlviz.app import main"),
        ("mlviz.app", "import PySide6\nfrom mlviz.ui.window import Window"),
    ],
)
def test_a_proper_example_is_left_alone(module, source):
    assert faults(module, source) == []


NO_QT = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(QT | ORACLES)!r}:
            raise ImportError(name + " is not installed here")

sys.meta_path.insert(0, Blocked())
"""


def run_without_qt(script: str) -> str:
    """What a script prints in a process in which Qt and the test oracles are not installed."""
    command = [sys.executable, "-W", "error", "-c", NO_QT + script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_qt_is_really_blocked_in_these_tests():
    blocked = "try:\n    import PySide6\nexcept ImportError as error:\n    print(error)"
    assert run_without_qt(blocked) == "PySide6 is not installed here\n"


def test_the_library_runs_without_qt():
    script = """
from algorithms import fit, find, all_algorithms, Dataset

assert all(find(algorithm.key) is algorithm for algorithm in all_algorithms())
result = fit("k_means", [[0, 0], [0, 1], [9, 9], [9, 8]], seed=0, k=2)
labels = result.predict(Dataset([[0, 0.5], [9, 8.5]]).X)
print(result.stop.name, labels[0] != labels[1])
print(sorted({name.partition(".")[0] for name in sys.modules} & {"PySide6", "pyqtgraph", "shiboken6", "mlviz"}))
"""
    assert run_without_qt(script) == "CONVERGED True\n[]\n"


def test_session_data_worker_and_the_command_line_import_without_qt():
    names = [
        module_name(path) for path in files() if layer_of(module_name(path)) in {"session", "data", "worker", "cli"}
    ]
    assert {"mlviz.session", "mlviz.data", "mlviz.worker"} <= set(names)
    script = f"import importlib\nfor name in {names!r}:\n    importlib.import_module(name)\nprint('all')"
    assert run_without_qt(script) == "all\n"


OF_POINTS = {
    "mlviz/worker/difference.py",
    "mlviz/session/edits.py",
    "mlviz/session/first_look.py",
    "mlviz/export/model_file.py",
    "mlviz/session/projection.py",
    "mlviz/data/saving.py",
    "mlviz/data/exploring.py",
    "mlviz/data/measuring.py",
    "mlviz/data/roles.py",
    "mlviz/ui/data_preview.py",
    "mlviz/ui/explore_plots.py",
    "mlviz/ui/point_table.py",
}
"""The code of points and of their editor outside ``algorithms``; the generators make them."""


def touches_rows(source: str) -> bool:
    """Whether a file reads the rows of points (``data.X``) or gives rows to them by that name."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == "X" and not isinstance(node.ctx, ast.Store)
        for node in ast.walk(parsed(source))
    )


def test_only_the_code_of_points_knows_that_data_have_rows():
    found = {
        path.relative_to(ROOT).as_posix()
        for path in files()
        if path.is_relative_to(ROOT / "mlviz")
        and not path.is_relative_to(ROOT / "mlviz/data/generators")
        and touches_rows(path.read_text("utf-8"))
    }
    assert found == OF_POINTS
    assert touches_rows("data.X[0]")
    assert not touches_rows("X = 3")


ROOMS = {"algorithms/_checks", "algorithms/data", "algorithms/marks", "algorithms/maths", "algorithms/params"}
"""Packages of the library that are no families."""


def in_the_main_file(source: str) -> set[str]:
    """Which of the two records of a method a file declares, or takes from the skeleton or what several methods use."""
    found = set()
    for node in parsed(source).body:
        if isinstance(node, ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("algorithms.maths."):
            found |= {"Model" for name in node.names if name.name.endswith("Model")}
        elif isinstance(node, ast.ImportFrom) and node.module == "algorithms._skeleton":
            found |= {name.name for name in node.names}
    return found & {"Params", "Model"}


def methods() -> list[Path]:
    """The module or package of every method."""
    library = ROOT / "algorithms"
    families = [
        path.parent for path in library.glob("*/__init__.py") if str(path.parent.relative_to(ROOT)) not in ROOMS
    ]
    return [path for family in families for path in sorted(family.iterdir()) if not path.name.startswith("__")]


def test_the_main_file_of_every_method_has_its_params_and_its_model():
    """And nothing private stands beside the methods of a family."""
    mains = [path / "__init__.py" if path.is_dir() else path for path in methods()]
    assert len(mains) > 50
    assert [str(path) for path in methods() if path.name.startswith("_")] == []
    assert [str(path) for path in mains if in_the_main_file(path.read_text("utf-8")) != {"Params", "Model"}] == []
    assert in_the_main_file("from algorithms.x.y.solver import Model\nclass Params: ...") == {"Params"}


def test_every_method_has_the_usual_rooms():
    """A room that has become too large for one file is a folder; no method has a room of another name."""
    usual = {"__init__", "__pycache__", "solver", "state", "views", "words"}
    found = {path.name: {room.stem for room in path.iterdir()} - usual for path in methods() if path.is_dir()}
    assert len(found) > 40
    assert {name: rooms for name, rooms in found.items() if rooms} == {}


def test_the_mathematics_of_a_method_knows_no_pictures_and_no_captions():
    solvers = [path for method in methods() if method.is_dir() for path in method.glob("solver*/**/*.py")]
    solvers += [method / "solver.py" for method in methods() if (method / "solver.py").exists()]
    assert len(solvers) > 40
    found = {
        module_name(path): [name for name in imports(path.read_text("utf-8")) if NO_MATHEMATICS.search(name)]
        for path in solvers
    }
    assert {name: wrong for name, wrong in found.items() if wrong} == {}
    assert NO_MATHEMATICS.search("algorithms.clustering.k_means.views")


NO_MATHEMATICS = re.compile(r"^algorithms\.marks|^algorithms\.(?!maths)\w+\.\w+\.(views|words)")


def users(uses: dict[str, set[str]]) -> dict[str, set[str]]:
    """Who uses each piece of mathematics, by itself or through another piece; ``uses`` are the imports of everybody."""
    found: dict[str, set[str]] = {name: set() for name in uses if name.startswith("algorithms.maths.")}
    for user in uses.keys() - found.keys():
        reached, new = set(), {user}
        while new:
            new = {piece for name in new for piece in uses[name] if piece in found} - reached
            reached |= new
        for piece in reached:
            found[piece].add(user)
    return found


def test_what_only_one_method_uses_stands_in_its_rooms():
    uses: dict[str, set[str]] = {}
    for path in files():
        name, family = module_name(path), path.is_relative_to(ROOT / "algorithms")
        whose = ".".join(name.split(".")[:3]) if family else name
        source = path.read_text("utf-8")
        modules = set(imports(source))
        for node in ast.walk(parsed(source)):
            if isinstance(node, ast.ImportFrom) and node.module == "algorithms.maths":
                modules |= {f"algorithms.maths.{alias.name}" for alias in node.names}
        uses.setdefault(whose, set()).update(modules)
    found = users(uses)
    assert len(found) > 50
    assert {piece: names for piece, names in found.items() if len(names) < 2} == {}
    pieces = {"algorithms.maths.b": set(), "algorithms.maths.a": {"algorithms.maths.b"}}
    one = users(pieces | {"algorithms.x.y": {"algorithms.maths.a"}})
    assert one == {"algorithms.maths.a": {"algorithms.x.y"}, "algorithms.maths.b": {"algorithms.x.y"}}


LONGEST_FILE, LONGEST_FUNCTION = 450, 60
"""Lines at which reading becomes hard."""


def too_long(source: str) -> list[str]:
    """What is too long in a file."""
    found = [f"{lines} lines"] if (lines := source.count("\n")) > LONGEST_FILE else []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= LONGEST_FUNCTION:
            found.append(node.name)
    return found


def test_files_and_functions_can_be_read_in_one_go():
    found = {str(path.relative_to(ROOT)): too_long(path.read_text("utf-8")) for path in files()}
    assert {name: long for name, long in found.items() if long} == {}
    assert too_long("def f():\n" + "    x = 1\n" * LONGEST_FILE) == [f"{LONGEST_FILE + 1} lines", "f"]


NAMED = re.compile(r"[\w/.-]+\.(?:md|txt)\b|\w[\w/]*/\w+\.py\b")
EXAMPLES = {".txt", "data.txt", "README.md", "CONTRIBUTING.md"}


def missing(text: str, here: Path) -> list[str]:
    """The files that a text names and that do not exist: from the top, in the program, in the tests, or beside it."""
    places = (ROOT, ROOT / "mlviz", ROOT / "algorithms", ROOT / "tests", here)
    return [n for n in NAMED.findall(text) if n not in EXAMPLES and not any((place / n).exists() for place in places)]


def test_no_comment_refers_to_a_file_that_is_not_here():
    """Whoever reads the code has this repository and nothing else."""
    looked_at = [*files(), *(ROOT / "tests").rglob("conftest.py"), ROOT / "CONTRIBUTING.md"]
    found = {path.name: names for path in looked_at if (names := missing(path.read_text("utf-8"), path.parent))}
    assert found == {}
    assert missing("as mlviz/ui/broom.py does, see plan.md and ui/window.py", ROOT) == ["mlviz/ui/broom.py", "plan.md"]
