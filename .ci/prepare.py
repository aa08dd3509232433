"""Make a fresh Debian or Ubuntu machine ready: a virtual environment, the packages, the system libraries of Qt.

Called by the Makefile with the system's own python3, so it uses the standard library only and must not break on old
versions before it has said that they are too old. What is missing is detected, installed when that is allowed (as
root, or with sudo), and otherwise named with the exact command.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"
OLDEST = (3, 11)

MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtTest", "QtOpenGL", "QtOpenGLWidgets", "QtPrintSupport")
PLUGINS = {
    "headless": ("platforms/libqoffscreen.so", "iconengines/libqsvgicon.so", "imageformats/libqsvg.so"),
    "window": (
        "platforms/libqxcb.so",
        "xcbglintegrations/libqxcb-glx-integration.so",
        "platforms/libqwayland.so",
        "wayland-graphics-integration-client/libqt-plugin-wayland-egl.so",
    ),
}
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libgcc_s.so.1": "libgcc-s1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libstdc++.so.6": "libstdc++6",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb.so.1": "libxcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
FONT_PACKAGE = "fonts-dejavu-core"
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")


class SetupError(Exception):
    """What the user has to do, in a sentence."""


def main() -> int:
    """Prepare the environment or the libraries; 1 with a sentence when the user has to do something first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["environment", "headless", "window"])
    what = parser.parse_args().what
    try:
        if what == "environment":
            prepare_environment()
        else:
            prepare_libraries(what)
    except SetupError as error:
        print(f"mlviz set-up: {error}", file=sys.stderr)
        return 1
    return 0


# -- the virtual environment ------------------------------------------------------------------------------------------


def prepare_environment() -> None:
    """Create ``.venv`` where it is missing or broken and install the project with its development extras."""
    check_version(sys.version_info[:2])
    if not has_pip(PYTHON):
        ensure_venv_module()
        say(f"creating {ENVIRONMENT}")
        run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)], "The virtual environment could not be created")
    say("installing the packages (about 600 MB the first time)")
    pip = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    run([*pip, "--editable", f"{ROOT}[dev]"], "The packages could not be installed")


def check_version(version) -> None:
    """Refuse a Python that is too old, and say how to choose another."""
    if tuple(version) < OLDEST:
        found, needed = (".".join(map(str, number)) for number in (version, OLDEST))
        raise SetupError(
            f"mlviz needs Python {needed} or newer, but {sys.executable} is {found}; "
            f"install a newer one and name it: make test PYTHON=python{needed}"
        )


def has_pip(python: Path) -> bool:
    """Whether the environment is there and whole."""
    if not python.exists():
        return False
    return subprocess.run([str(python), "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def ensure_venv_module() -> None:
    """Debian ships python3 without the part that makes environments."""
    test = [sys.executable, "-c", "import venv, ensurepip"]
    if subprocess.run(test, capture_output=True, check=False).returncode == 0:
        return
    major, minor = sys.version_info[:2]
    install([f"python{major}.{minor}-venv"], "Python's venv module")
    if subprocess.run(test, capture_output=True, check=False).returncode != 0:
        raise SetupError(f"{sys.executable} has no module venv; install it and try again.")


# -- the libraries ----------------------------------------------------------------------------------------------------


def prepare_libraries(purpose: str) -> None:
    """Install the libraries that Qt lacks: ``headless`` for pictures and tests, ``window`` for a screen as well."""
    if not sys.platform.startswith("linux"):
        return
    qt = qt_folder()
    missing = missing_libraries(qt, purpose)
    packages = packages_for(missing)
    if not has_font():
        packages.append(FONT_PACKAGE)
    if not packages:
        return
    install(packages, "Qt's libraries (" + ", ".join([*missing, *([] if has_font() else ["a font"])]) + ")")
    left = missing_libraries(qt, purpose)
    if left:
        raise SetupError(f"Qt still lacks {', '.join(left)} after the installation.")


def qt_folder() -> Path:
    """Where PySide6 lies in the environment."""
    code = "import importlib.util as u; print(u.find_spec('PySide6').submodule_search_locations[0])"
    return Path(subprocess.run([str(PYTHON), "-c", code], capture_output=True, text=True, check=True).stdout.strip())


def missing_libraries(qt: Path, purpose: str) -> list:
    """The shared libraries that the dynamic linker does not find for the parts of Qt we use."""
    parts = [qt / f"{module}.abi3.so" for module in MODULES]
    parts += [qt / "Qt" / "plugins" / plugin for plugin in PLUGINS["headless"]]
    if purpose == "window":
        parts += [qt / "Qt" / "plugins" / plugin for plugin in PLUGINS["window"]]
    present = [str(part) for part in parts if part.exists()]
    report = subprocess.run(["ldd", *present], capture_output=True, text=True, check=False)
    return not_found(report.stdout)


def not_found(report: str) -> list:
    """The libraries that a report of ``ldd`` calls not found."""
    return sorted({line.split()[0] for line in report.splitlines() if line.rstrip().endswith("=> not found")})


def packages_for(libraries) -> list:
    """The Debian packages that hold these libraries."""
    unknown = [library for library in libraries if library not in PACKAGES]
    if unknown:
        raise SetupError(
            f"Qt needs {', '.join(unknown)}, which no package known to this script holds; "
            "look it up at https://packages.debian.org and install it."
        )
    return sorted({PACKAGES[library] for library in libraries})


def has_font(folders=FONT_FOLDERS) -> bool:
    """Whether any scalable font is installed; without one, Qt draws empty boxes."""
    kinds = (".ttf", ".otf", ".ttc", ".pfb")
    for folder in folders:
        for _, _, names in os.walk(os.path.expanduser(folder)):
            if any(name.lower().endswith(kinds) for name in names):
                return True
    return False


# -- installing -------------------------------------------------------------------------------------------------------


def install(packages: list, what: str) -> None:
    """Install Debian packages where that is allowed; otherwise say exactly which command does it."""
    command = "apt-get update && apt-get install -y --no-install-recommends " + " ".join(packages)
    if shutil.which("apt-get") is None:
        raise SetupError(f"{what} must be installed; on Debian or Ubuntu the packages are {' '.join(packages)}.")
    prefix = root_prefix()
    if prefix is None:
        sudo_command = command.replace("apt-get", "sudo apt-get")
        raise SetupError(f"{what} must be installed. Run this as an administrator and try again:\n  {sudo_command}")
    say(f"installing {what}: {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(
            [*prefix, "apt-get", "-qq", *step], env=environment, stdout=subprocess.DEVNULL, check=False
        )
        if done.returncode != 0 and step[0] == "install":
            raise SetupError(f"The installation failed. Run this by hand to see why:\n  {command}")


def root_prefix():
    """What goes before a command that needs the administrator: nothing, ``sudo``, or None when neither is possible."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    silent = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    return ["sudo"] if silent or sys.stdin.isatty() else None


def run(command: list, complaint: str) -> None:
    """Run a command whose own output is shown, and turn failure into a sentence."""
    code = subprocess.run(command, check=False).returncode
    if code != 0:
        raise SetupError(f"{complaint} (exit code {code} from: {' '.join(command)}).")


def say(text: str) -> None:
    """One line of progress."""
    print(f"mlviz set-up: {text} ...", flush=True)


if __name__ == "__main__":
    sys.exit(main())
