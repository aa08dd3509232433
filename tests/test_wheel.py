"""The wheel: installed into an environment of its own, it has the command, the library and the assets."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def call(*command: object, cwd: Path) -> str:
    """The output of a command that sees nothing of this checkout."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean, capture_output=True, text=True, check=False, timeout=1000
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("mlviz-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel alone. The third-party packages are lent by this one, to need no network."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    call(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--disable-pip-version-check"),
        *("--no-deps", "--no-index", "--quiet", wheel),
        cwd=folder,
    )
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_every_asset_is_inside_the_wheel(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    assets = [path for path in (ROOT / "assets").rglob("*") if path.is_file()]
    assert assets
    assert {f"mlviz/assets/{path.relative_to(ROOT / 'assets').as_posix()}" for path in assets} <= inside


def test_the_wheel_holds_the_two_packages_and_nothing_else(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"mlviz", "algorithms"}


@pytest.mark.parametrize("command", [["bin/mlviz"], ["bin/python", "-m", "mlviz"]], ids=["mlviz", "python -m mlviz"])
def test_the_installed_command_lists_the_algorithms(installed: Path, command: list[str]) -> None:
    text = call(installed / command[0], *command[1:], "list", cwd=installed)
    assert "k_means" in text


def test_the_installed_program_is_the_one_from_the_wheel(installed: Path) -> None:
    code = (
        "import mlviz, algorithms, mlviz.paths as p; "
        "print(mlviz.__file__, algorithms.__file__, p.assets(), p.assets().is_dir(), sep='\\n')"
    )
    *places, there = call(installed / "bin" / "python", "-c", code, cwd=installed).splitlines()
    assert all(place.startswith(str(installed)) for place in places)
    assert there == "True"
