"""The set-up: what is detected, what is said, and that a second call does nothing but the work."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent

LDD_REPORT = """\
/x/libqxcb.so:
\tlinux-vdso.so.1 (0x00007ffd)
\tlibxcb-icccm.so.4 => not found
\tlibxcb-keysyms.so.1 => not found
\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f)
/x/libqxcb-glx.so:
\tlibxcb-icccm.so.4 => not found
"""


@pytest.fixture(scope="module")
def prepare() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prepare", ROOT / ".ci" / "prepare.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_missing_libraries_are_mapped_to_packages(prepare: ModuleType) -> None:
    missing = prepare.not_found(LDD_REPORT)
    assert missing == ["libxcb-icccm.so.4", "libxcb-keysyms.so.1"]
    assert prepare.packages_for(missing) == ["libxcb-icccm4", "libxcb-keysyms1"]


def test_the_window_says_which_libraries_it_lacks_and_the_command_that_installs_them(
    prepare: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Qt names libxcb-cursor0, whatever is missing."""
    from mlviz.cli import window
    from mlviz.cli.options import CommandError

    def load(library: str) -> None:
        if "icccm" in library or "keysyms" in library:
            raise OSError(library)

    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    with pytest.raises(CommandError) as refused:
        window.need_libraries(load)
    assert str(refused.value) == (
        "Qt cannot open a window, because the system has no libxcb-icccm.so.4, libxcb-keysyms.so.1. "
        "On Debian or Ubuntu: sudo apt-get install -y libxcb-icccm4 libxcb-keysyms1"
    )
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    window.need_libraries(load)
    assert all(window.package_of(library) == prepare.PACKAGES[library] for library in window.LIBRARIES)


def test_what_the_window_looks_for_is_what_the_plug_in_needs() -> None:
    import PySide6

    from mlviz.cli.window import LIBRARIES

    qt = Path(PySide6.__path__[0]) / "Qt"
    needed: set[str] = set()
    for part in (qt / "plugins/platforms/libqxcb.so", qt / "lib/libQt6XcbQpa.so.6"):
        names = part.read_bytes()
        needed |= {name.decode() for name in re.findall(rb"lib(?:xcb|xkb|X11)[a-zA-Z0-9-]*\.so\.\d+", names)}
    assert needed <= set(LIBRARIES)
    assert {name for name in LIBRARIES if "GL" not in name} == needed


def test_an_unknown_library_is_named(prepare: ModuleType) -> None:
    with pytest.raises(prepare.SetupError, match=r"Qt needs libnew\.so\.9, which no package known to this script"):
        prepare.packages_for(["libz.so.1", "libnew.so.9"])


def test_nothing_is_missing_where_these_tests_run(prepare: ModuleType) -> None:
    import PySide6

    assert prepare.missing_libraries(Path(PySide6.__path__[0]), "headless") == []


def test_every_library_that_the_window_needs_has_a_package(prepare: ModuleType) -> None:
    import PySide6

    prepare.packages_for(prepare.missing_libraries(Path(PySide6.__path__[0]), "window"))


def test_an_old_python_is_refused_in_a_sentence(prepare: ModuleType) -> None:
    prepare.check_version((3, 11))
    with pytest.raises(prepare.SetupError, match=r"needs Python 3\.11 or newer, but .* is 3\.9; .*PYTHON=python3\.11"):
        prepare.check_version((3, 9))


def test_without_rights_the_exact_command_is_printed(prepare: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "root_prefix", lambda: None)
    monkeypatch.setattr(prepare.shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(prepare.SetupError) as refused:
        prepare.install(["libegl1", "libgl1"], "Qt's libraries")
    assert str(refused.value).splitlines()[1] == (
        "  sudo apt-get update && sudo apt-get install -y --no-install-recommends libegl1 libgl1"
    )


def test_fonts_are_looked_for_below_the_folders(prepare: ModuleType, tmp_path: Path) -> None:
    assert not prepare.has_font([str(tmp_path), str(tmp_path / "absent")])
    (tmp_path / "truetype").mkdir()
    (tmp_path / "truetype" / "Sans.TTF").touch()
    assert prepare.has_font([str(tmp_path)])


# -- the Makefile, with every program replaced by one that writes down how it was called ------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml", ".ci"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("ruff", "mypy", "python", "mlviz", "python3"):
        program = programs / name
        program.write_text(f'#!/bin/sh\necho "{name} $* qt=$QT_QPA_PLATFORM blas=$OPENBLAS_NUM_THREADS"\n')
        program.chmod(0o755)
    return tmp_path


def make(checkout: Path, target: str, **extra: str) -> list[str]:
    kept = {"PATH": os.environ["PATH"], "LC_ALL": "C", **extra}
    command = ["make", "-s", "PYTHON=.venv/bin/python3", target]
    done = subprocess.run(command, cwd=checkout, env=kept, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


TESTS = [
    "ruff check qt=offscreen blas=1",
    "ruff format --check qt=offscreen blas=1",
    "mypy  qt=offscreen blas=1",
    "python -m pytest -n 3 --dist loadgroup qt=offscreen blas=1",
]


def test_make_test_prepares_once_and_ends_with_the_tests(checkout: Path) -> None:
    first = make(checkout, "test")
    assert [line.split(" qt=")[0] for line in first[:2]] == [
        "python3 .ci/prepare.py environment",
        "python3 .ci/prepare.py headless",
    ]
    assert first[2].startswith("python -m pip install")
    assert "--editable .[bench]" in first[2]
    again = make(checkout, "test")
    for lines in (first[3:], again):
        assert (lines[:2], sorted(lines[2:])) == (TESTS[:2], TESTS[2:])  # types and tests run side by side


@pytest.mark.parametrize("program", ["mypy", "python"])
def test_make_test_fails_where_the_types_or_the_tests_do(checkout: Path, program: str) -> None:
    make(checkout, "test")
    (checkout / ".venv" / "bin" / program).write_text('#!/bin/sh\necho "found nothing good"\nexit 1\n')
    done = subprocess.run(["make", "test"], cwd=checkout, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode != 0
    assert "found nothing good" in done.stdout
    other = {"mypy": "python -m pytest", "python": "mypy  qt"}[program]
    assert other in done.stdout  # the other part is told all the same


def test_bytecode_is_kept_whatever_the_shell_says(checkout: Path) -> None:
    (checkout / ".venv" / "bin" / "python").write_text('#!/bin/sh\necho "python [$PYTHONDONTWRITEBYTECODE]"\n')
    assert make(checkout, "test", PYTHONDONTWRITEBYTECODE="1")[-2:].count("python []") == 1


def test_make_bench_installs_the_opponents_on_demand(checkout: Path) -> None:
    first = make(checkout, "bench")
    assert "--editable .[bench]" in first[2]
    assert first[3:] == make(checkout, "bench") == ["python -m tests.benchmarks.bench qt= blas="]


def test_make_approve_and_make_hunt_call_pytest_with_a_word(checkout: Path) -> None:
    make(checkout, "test")
    assert make(checkout, "approve", KEY="mds") == [
        "python -m pytest -q -rP tests/views -k mds qt=offscreen blas=1",
    ]
    assert make(checkout, "hunt", MINUTES="0.5") == ["python -m tests.hunt 0.5 qt=offscreen blas=1"]


def test_busy_calls_a_command_three_times_beside_loops_that_end(tmp_path: Path) -> None:
    done = subprocess.run(
        [ROOT / ".ci" / "busy", "sh", "-c", "echo again"], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout == "again\n" * 3
    failed = subprocess.run([ROOT / ".ci" / "busy", "false"], capture_output=True, text=True, timeout=600, check=False)
    assert (failed.returncode, failed.stderr) == (1, "Round 1 failed beside the busy loops.\n")


def test_a_changed_project_file_is_installed_again(checkout: Path) -> None:
    make(checkout, "test")
    for stamp in (checkout / ".venv" / ".stamps").iterdir():
        os.utime(stamp, (0, 0))  # older than the project file
    assert make(checkout, "test")[0].startswith("python3 .ci/prepare.py environment")


def test_make_run_without_a_display_draws_the_tour(checkout: Path) -> None:
    make(checkout, "test")
    assert make(checkout, "run") == [
        "There is no display: drawing a tour of the laboratory into out/ instead of opening a window.",
        "mlviz tour --out out qt=offscreen blas=",
    ]


def test_make_run_with_a_display_opens_the_window(checkout: Path) -> None:
    make(checkout, "test")
    assert make(checkout, "run", DISPLAY=":0") == ["python3 .ci/prepare.py window qt= blas=", "mlviz  qt= blas="]
    assert make(checkout, "run", WAYLAND_DISPLAY="wayland-0") == ["mlviz  qt= blas="]


def test_the_pipeline_calls_make_test(checkout: Path) -> None:
    make(checkout, "test")
    done = subprocess.run(
        [checkout / ".ci" / "run"], capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]}
    )
    assert TESTS[-1] in done.stdout.splitlines()[-2:]


def test_tests_that_belong_together_stay_together(request):
    """pytest-xdist writes the group of a test into its id; a pytest that takes the id from elsewhere has no groups."""
    assert request.node.nodeid == request.node._nodeid
