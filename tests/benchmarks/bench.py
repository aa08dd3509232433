"""``make bench``: measure every row of the table against its opponent, print one table, write JSON.

    python -m tests.benchmarks.bench [--quick] [--only GROUP ...] [--out FILE]

Each group of rows runs in a process of its own, one after the other, so that no group inherits another one's memory or
threads; where figures mean nothing (``--quick``) most of them share one. Everybody gets one thread:
OPENBLAS_NUM_THREADS and OMP_NUM_THREADS are 1 for us and for the opponents.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

GROUPS = {
    "drawing": 120,
    "window": 900,
    "looks": 60,
    "algorithms": 900,
    "fields": 120,
    "growth": 240,
    "timeline": 180,
    "graphs": 120,
    "sequences": 60,
    "texts": 60,
    "matrices": 60,
    "sweeps": 300,
}
"""The modules, with the seconds after which one is given up."""
EXPECTED = ("frame", "recolour", "spray", "query", "looks", "tick", "start", "cancel", "fit", "field", "growth")
EXPECTED += ("timeline", "sweep")
"""The rows of the table in the README, in their order."""
PACKAGES = ("numpy", "scipy", "PySide6-Essentials", "pyqtgraph", "scikit-learn", "matplotlib", "networkx", "hmmlearn")
THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None) -> int:
    """Run the groups and report; 1 when a group could not be measured. A missed target is a figure, not a failure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only show that everything runs")
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), default=list(GROUPS), help="some groups only")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "bench.json", help="where to write the JSON")
    parser.add_argument("--here", metavar="GROUP", nargs="+", choices=list(GROUPS), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        return _measure_here(options.here, options.quick, options.out)
    began, rows, failures = time.perf_counter(), [], []
    together = [group for group in options.only if options.quick and group != "window"]
    for groups in [[group] for group in options.only if group not in together] + ([together] if together else []):
        found, complaint = _measure_apart(groups, options.quick)
        rows += found
        failures += [complaint] if complaint else []
    report = {"machine": _machine(), "seconds": round(time.perf_counter() - began), "quick": options.quick}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({**report, "rows": rows, "failures": failures}, indent=1, ensure_ascii=False))
    print(_table(rows))
    print(f"\n{report['machine']['description']}; {report['seconds']} s; written to {options.out}")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def _measure_here(groups: list[str], quick: bool, out: Path) -> int:
    """What the process of one group does, or of several."""
    gc.disable()  # Qt objects must not be collected on a worker's thread
    from tests.benchmarks.record import Effort

    _ignore_the_platform()
    modules = [importlib.import_module(f"tests.benchmarks.{group}") for group in groups]
    rows = [row for module in modules for row in module.measure(Effort(quick))]
    out.write_text(json.dumps([row.as_dict() for row in rows]))
    sys.stdout.flush()
    os._exit(0)  # Python would take widgets and threads apart in any order


def _ignore_the_platform() -> None:
    """The offscreen platform complains at every window that it cannot do what nobody asked of it."""
    from PySide6.QtCore import qInstallMessageHandler

    def say(_kind: object, _context: object, text: str) -> None:
        if "propagateSizeHints" not in text:
            print(text, file=sys.stderr)

    qInstallMessageHandler(say)


def _measure_apart(groups: list[str], quick: bool) -> tuple[list[dict[str, Any]], str]:
    """The rows of some groups from a process of their own, or the sentence that says why there are none."""
    named, seconds = ", ".join(groups), sum(GROUPS[group] for group in groups)
    print(f"{named} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "tests.benchmarks.bench", "--here", *groups, "--out", str(out)]
        environment = {**os.environ, **THREADS, "QT_QPA_PLATFORM": "offscreen", "MLVIZ_HOME": folder}
        command += ["--quick"] if quick else []
        try:
            done = subprocess.run(command, cwd=ROOT, env=environment, check=False, timeout=seconds)
        except subprocess.TimeoutExpired:
            return [], f"The group {named} was given up after {seconds} seconds."
        if done.returncode != 0 or not out.exists():
            return [], f"The group {named} ended with exit code {done.returncode} and without figures."
        return json.loads(out.read_text()), ""


def _machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = next(
        (line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor() or platform.machine(),
    )
    versions = {name: version(name) for name in PACKAGES}
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    load = os.getloadavg()[0]
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    description = (
        f"{model}, {cores} cores, load {load:.1f}, Python {platform.python_version()}, {listed}, one thread each"
    )
    return {"cpu": model, "cores": cores, "load": load, "versions": versions, "description": description}


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines() if Path(path).exists() else []


def _table(rows: list[dict[str, Any]]) -> str:
    """The lines as a Markdown table, row by row of the issue; answers to a whole row are marked with *."""
    ordered = sorted(rows, key=lambda row: EXPECTED.index(row["group"]))
    header = ("row", "what", "opponent", "ours", "theirs", "ratio", "reach", "met")
    cells = [header, *(_cells(row) for row in ordered)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |" for line in cells]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    reach = "" if row["reach"] is None else f"{row['reach']:.3g}"
    met = {True: "yes", False: "NO", None: ""}[row["met"]]
    if row["detail"].get("same objective") is False:
        met = "other objective"
    name = row["group"] + ("*" if row["summary"] else "")
    return name, row["case"], row["opponent"], row["ours"], row["theirs"], f"{row['ratio']:.2f}", reach, met


if __name__ == "__main__":
    sys.exit(main())
