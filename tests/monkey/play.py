"""``make monkey SEED=1 ACTIONS=10000``: a monkey at the window, and what went wrong.

Each window is in a process of its own, which writes down every action before it does it. So whatever happens, an
exception, a crash or a window that hangs, there is a list of actions that brings it about; the shortest part that still
does is printed and written to a file, and ``--replay FILE`` plays that again. All that was done is kept beside it, for
stalls, which have no shortest part. They are reported by what the window itself worked or waited for: what else the
machine does is not counted.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from PySide6.QtWidgets import QApplication

from algorithms import find
from tests.monkey import shrink
from tests.monkey.answers import files_in
from tests.monkey.hands import STALL, Action, Hands
from tests.monkey.monkey import Monkey
from tests.monkey.warm import warming
from tests.monkey.watch import leaks, resources

HANGS = 180.0
"""Seconds without a new action after which the window hangs."""
LOOKS = 8
"""So often a process that hangs is asked where it stands: one look does not tell a loop from what it is made of."""
EVERY = 1000
"""After so many actions the window settles, and what it holds is counted."""
REST = 3000
"""Milliseconds after which the window has given back what the allocator kept."""
RESTS = 20
"""So often at most, until no thread works any more; one that never ends is a leak."""
MOST_WINDOWS = 12
KEPT = Path("out")


def play(seed: int, count: int, journal: Path, folder: Path) -> int:
    """Play so many actions in one window of this process, or until something goes wrong; how many problems there are.

    Before the first of them the window makes whatever it makes once. The journal gets a line for each action, problem,
    stall and count, and one for the end.
    """
    with journal.open("w") as lines:

        def note(**words: object) -> None:
            print(json.dumps(words), file=lines, flush=True)

        hands = Hands(folder)
        monkey = Monkey(seed, hands)
        counts: list[dict[str, int]] = []

        def carry_out(action: Action) -> None:
            hands.do(action)
            for spent, waited, slow in hands.stalls:
                note(stall=round(spent, 2), waited=round(waited, 2), during=slow)
            hands.stalls.clear()

        def settled(after: int) -> None:
            for _ in range(RESTS):
                hands.do(["rest", REST])
                count = resources(hands.window.history.nbytes)
                if count["threads"] <= (counts or [count])[0]["threads"]:
                    break  # a picture of a slide that a thread has not finished has widgets, too
            counts.append(count)
            others = [thread.name for thread in threading.enumerate() if thread is not threading.current_thread()]
            note(counted=counts[-1], after=after, others=others)

        with files_in(folder, lambda: hands.janitor.rng):
            for action in warming(hands):
                note(warming=action)
                carry_out(action)
                if hands.problems:
                    break
            settled(0)
            for number in range(1, count + 1):
                if hands.problems:
                    break
                settle = number % EVERY == 0
                action = ["settle"] if settle else monkey.choose()
                note(action=action)
                carry_out(action)
                if settle:
                    settled(number)
            hands.close()
        # in the first half what is kept for the next time, up to a bound, fills: pictures of methods, canvases, undo
        problems = hands.problems[:1] + leaks(counts[len(counts) // 2], counts[-1])
        for problem in problems:
            note(problem=problem)
        note(end=resources())
    return len(problems)


def replayed(actions: list[Action], folder: Path) -> list[str]:
    """The problems that these actions bring about in a new window of this process."""
    hands = Hands(folder)
    try:
        with files_in(folder, lambda: hands.janitor.rng):
            for action in actions:
                hands.do(action)
                if hands.problems:
                    break
    finally:
        hands.close()
    return hands.problems


def in_process(*arguments: str, journal: Path | None = None, quiet: bool = False) -> int:
    """The exit code of another such process; one that hangs is ended and gives -9."""
    home = tempfile.mkdtemp(prefix="mlviz-monkey-")
    with subprocess.Popen(
        [sys.executable, "-m", "tests.monkey.play", *arguments],
        env=os.environ | {"MLVIZ_HOME": home},
        stdout=subprocess.DEVNULL if quiet else None,
        stderr=subprocess.DEVNULL if quiet else None,
    ) as program:
        while True:
            try:
                return program.wait(1.0)
            except subprocess.TimeoutExpired:
                changed = journal.stat().st_mtime if journal is not None and journal.exists() else None
                if changed is None:
                    _begun.setdefault(program.pid, time.time())
                if time.time() - (changed or _begun[program.pid]) > HANGS:
                    print(f"No action for {HANGS:.0f} s: the window hangs.", flush=True)
                    for sign in (signal.SIGUSR1,) * LOOKS + (signal.SIGABRT,):
                        program.send_signal(sign)  # says where every thread stands
                        time.sleep(0.2)
                    return -9


_begun: dict[int, float] = {}


def last_words(problem: str) -> str:
    """By what a problem is known again: the last line of it, up to an address that differs from run to run."""
    return re.split("0x[0-9a-f]+", problem.strip().splitlines()[-1][:160])[0]


def shrunk(actions: list[Action], problem: str, folder: Path) -> list[Action]:
    """The fewest actions found, in processes of their own, at whose end the same goes wrong; a crash is any crash."""
    wanted, trial = last_words(problem), folder / "trial.json"

    def fails(some: list[Action]) -> bool:
        trial.write_text(json.dumps({"actions": some, "wanted": wanted}))
        code = in_process("--replay", str(trial), quiet=True)
        return code == 1 or (code < 0 and problem.startswith("crash"))

    return shrink.shortest(actions, fails)


@dataclass(frozen=True)
class Journal:
    """What the journal of one window says."""

    warming: list[Action]
    actions: list[Action]
    problems: list[str]
    stalls: list[tuple[float, float, Action]]
    counts: list[tuple[int, dict[str, int], list[str]]]
    """After how many actions there was how much of what, and the names of the threads besides the window's."""

    @classmethod
    def read(cls, path: Path, code: int) -> Journal:
        """The journal; one without an end is that of a crash."""
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        crashed = [] if any("end" in line for line in lines) else [f"crash: the process ended with {code}"]
        return cls(
            [line["warming"] for line in lines if "warming" in line],
            [line["action"] for line in lines if "action" in line],
            [line["problem"] for line in lines if "problem" in line] + crashed,
            [(line["stall"], line["waited"], line["during"]) for line in lines if "stall" in line],
            [(line["after"], line["counted"], line["others"]) for line in lines if "counted" in line],
        )


def hunt(seed: int, count: int, folder: Path) -> int:
    """Play so many actions, in a new window after each problem, and report; how many problems there are."""
    left, journals = count, []
    while left > 0 and len(journals) < MOST_WINDOWS:
        path = folder / f"journal-{len(journals)}.jsonl"
        rest = ("--seed", str(seed + 1000 * len(journals)), "--actions", str(left), "--journal", str(path))
        code = in_process(*rest, journal=path)
        journals.append(Journal.read(path, code))
        if path.exists():
            KEPT.mkdir(exist_ok=True)  # a stall has no shortest tail: what came before it is looked up here
            shutil.copy(path, KEPT / f"monkey-{seed}-{path.name}")
        left -= max(len(journals[-1].actions), 1)
    return report(seed, journals, folder)


def report(seed: int, journals: list[Journal], folder: Path) -> int:
    """Print what the journals say, and the actions that bring each problem about; how many problems there are."""
    total = sum(len(journal.actions) for journal in journals)
    found = [(problem, journal.warming + journal.actions) for journal in journals for problem in journal.problems]
    stalls = [stall for journal in journals for stall in journal.stalls]
    print(f"seed {seed}: {total} actions, {len(found)} problems, {len(stalls)} stalls over {STALL} s")
    for after, counted, others in (count for journal in journals for count in journal.counts):
        print(f"  after {after}: {counted}", *others)
    for spent, waited, action in sorted(stalls, reverse=True, key=lambda stall: stall[0])[:10]:
        print(f"  {spent:.1f} s, {waited:.1f} s of it waiting  {str(action)[:150]}")
    seen: set[str] = set()
    for number, (problem, some) in enumerate(found):
        print(problem.strip(), flush=True)
        if not problem.startswith("leak") and last_words(problem) not in seen:
            seen.add(last_words(problem))
            path = KEPT / f"monkey-{seed}-{number}.json"
            path.parent.mkdir(exist_ok=True)
            few = shrunk(some, problem, folder)
            path.write_text(json.dumps({"actions": few, "wanted": last_words(problem)}))
            print(
                f"  {len(few)} of {len(some)} actions, replay with --replay {path}: {json.dumps(few)[:600]}", flush=True
            )
    return len(found)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=10_000)
    parser.add_argument("--replay", type=Path)
    parser.add_argument("--journal", type=Path, help="play in this process and write down every action")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mlviz-monkey-") as name:
        folder = Path(name)
        if options.replay is None and options.journal is None:
            return min(hunt(options.seed, options.actions, folder), 1)
        faulthandler.enable()
        faulthandler.register(signal.SIGUSR1)
        application = QApplication.instance() or QApplication([])
        assert application is not None
        find("k_means")
        if options.replay is not None:
            wanted = json.loads(options.replay.read_text())
            found = replayed(wanted["actions"], folder)
            print("\n".join(found)[-2000:] or "Nothing went wrong.")
            return int(any(wanted["wanted"] in text for text in found)) if wanted.get("wanted") else len(found)
        return min(play(options.seed, options.actions, options.journal, folder), 1)


if __name__ == "__main__":
    sys.exit(main())
