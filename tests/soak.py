"""``make soak MINUTES=60``: play, run again, edit and undo for that long, and what the window holds at rest.

After the first five minutes (or half of the time, where that is less) memory may grow by 5 %, and widgets, threads and
files not at all: each rest is on the same small document, and the first few of them are compared with the last few. At
100,000 points a change of the theme or of presenter mode takes under 0.3 s, and the undo history keeps to its budget.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from PySide6.QtCore import QCoreApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from algorithms import all_algorithms
from mlviz.data.spec import parse_spec
from mlviz.session.history import DEFAULT_BUDGET
from tests.monkey.answers import files_in
from tests.monkey.hands import Hands
from tests.monkey.warm import warming
from tests.monkey.watch import resources

AT_REST = 5.0
"""Minutes after which the window holds what it will hold."""
MOST_GROWTH, MOST_SECONDS = 0.05, 0.3
EDITS = 120
FEW = 5
"""Rests that are taken together, at the beginning and at the end."""


def minute(hands: Hands, rng: random.Random, length: float) -> None:
    """A part of an hour with the window: methods on their data, played, with knobs turned, points drawn, and undone."""
    end = time.monotonic() + length
    keys = [method.key for method in all_algorithms()]
    while time.monotonic() < end:
        hands.do(["method", rng.choice(keys)])
        hands.do(["trigger", "play"])
        for _ in range(rng.randint(2, 6)):
            places = [[round(rng.uniform(0.2, 0.8), 3) for _ in range(2)] for _ in range(5)]
            hands.do(rng.choice([["stroke", 0, "left", 0, places, []], ["trigger", "new_seed"], ["rest", 100]]))
            hands.do(["rest", 100])
        for name in ("undo", "undo", "end", "undo"):
            hands.do(["trigger", name])


def seconds(act: object) -> float:
    """How long it takes until it is painted."""
    begun = time.thread_time()  # what else the machine does is not counted
    act()  # type: ignore[operator]
    QCoreApplication.processEvents()
    return time.thread_time() - begun


def looks(hands: Hands) -> dict[str, float]:
    """The longest of some changes of the look at 100,000 points, and the shortest, which the machine delayed least."""
    window = hands.window
    window.choose_data(parse_spec("blobs(n=100000)"))
    for _ in range(100):
        QTest.qWait(50)
        if window.player.runs(window.document) and window.board.up_to_date:
            break
    found = {}
    for name in ("theme", "present"):
        times = [seconds(window.actions_table[name].trigger) for _ in range(6)]
        found |= {f"{name}, shortest": min(times), f"{name}, longest": max(times)}
    return found


def undone(hands: Hands) -> tuple[dict[str, int], list[str]]:
    """What the undo history holds after more edits of 100,000 points than its budget has room for, and what is wrong.

    It says so once that the oldest steps are gone, and holds as many of the others as it can.
    """
    window, history = hands.window, hands.window.history
    before = resources()["memory"]
    for _ in range(EDITS):
        data = window.document.data
        window.apply(window.on_desk(data.with_rows(data.X + 1.0, data.y), ""), "shift")
    said = window.statusBar().currentMessage()
    held = {"undo": history.nbytes // 2**20, "forgotten": history.forgotten, "gained": resources()["memory"] - before}
    one = window.document.data.X.nbytes
    wrong = ["undo holds more than its budget"] * (history.nbytes > DEFAULT_BUDGET)
    wrong += ["undo holds less than it could"] * (history.nbytes < DEFAULT_BUDGET - 4 * one)
    wrong += ["undo has forgotten and not said so"] * ("undo" not in said.lower())
    return held, wrong


def faults(counts: list[tuple[float, dict[str, int]]], rest: float) -> list[str]:
    """What has grown since the window was at rest, in words: the medians of the first and of the last few rests.

    In one rest or another a process or a thread has not ended yet. What really grows is in the median, too.
    """
    later = [count for after, count in counts if after >= rest]
    few = min(FEW, (len(later) + 1) // 2)
    names = ("threads", "files", "widgets", "memory")
    first, last = (
        {name: statistics.median(count[name] for count in part) for name in names}
        for part in (later[:few], later[-few:])
    )
    counted = names[:3]
    found = [f"{name} grew from {first[name]:g} to {last[name]:g}" for name in counted if last[name] > first[name]]
    grown = last["memory"] / first["memory"] - 1.0
    return found + [f"memory grew by {100 * grown:.1f} %"] * (grown > MOST_GROWTH)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float)
    options = parser.parse_args()
    os.environ["MLVIZ_HOME"] = tempfile.mkdtemp(prefix="mlviz-soak-")
    application = QApplication.instance() or QApplication([])
    assert application is not None
    with tempfile.TemporaryDirectory(prefix="mlviz-soak-") as folder:
        hands, rng = Hands(Path(folder)), random.Random(1)
        counts: list[tuple[float, dict[str, int]]] = []
        begun = time.monotonic()
        with files_in(Path(folder), lambda: hands.janitor.rng):
            for action in warming(hands):  # what is made or begun for the first time is kept, and no growth
                hands.do(action)
            while (time.monotonic() - begun) / 60.0 < options.minutes:
                minute(hands, rng, min(60.0, 6.0 * options.minutes))
                hands.do(["settle"])
                hands.do(["rest", 6000])  # then what the allocator keeps is given back
                after = (time.monotonic() - begun) / 60.0
                undo = hands.window.history.nbytes
                counts.append((after, resources(undo) | {"undo": undo // 2**20}))
                print(f"{after:5.1f} min  {counts[-1][1]}", flush=True)
            found = faults(counts, min(AT_REST, options.minutes / 2.0)) + hands.problems
            times = looks(hands)
            held, wrong = undone(hands)
            found += wrong
            hands.close()
    print({name: f"{value:.2f} s" for name, value in times.items()})
    print(f"After {EDITS} edits of 100,000 points, in MB and steps: {held}")
    slow = {name: value for name, value in times.items() if "shortest" in name and value > MOST_SECONDS}
    found += [f"{name}: {value:.2f} s" for name, value in slow.items()]
    print("\n".join(found) or "Nothing has grown.")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
