"""Reads files in a process of its own and says what became of each: nothing may end it, take long or take much.

``Reader`` is the side that asks; run as a module it is the side that reads: a path on each line of its input, and for
each a line of JSON with the sentence (empty where the file was read), the seconds and the megabytes.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 240.0
"""Seconds after which a file is taken to be read for ever; how long it may take is up to who asks."""


@dataclass(frozen=True)
class Answer:
    """What became of a file: a sentence, or nothing where it was read; ``fault`` where it was something else."""

    said: str
    fault: str
    seconds: float = 0.0
    megabytes: float = 0.0


class Reader:
    """The process, started again when it has died; use it as ``with Reader() as reader``."""

    def __enter__(self) -> Reader:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> int:
        """End the process, whatever it does; its exit code."""
        self._process.kill()
        code = self._process.wait()
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()  # type: ignore[union-attr]
        self._thread.join()
        self._process.stdout.close()  # type: ignore[union-attr]
        return code

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.corpus.reader"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=self._listen, args=(self._process.stdout, self._lines), daemon=True)
        self._thread.start()

    @staticmethod
    def _listen(source: Any, lines: queue.Queue[str]) -> None:
        for line in source:
            lines.put(line)
        lines.put("")

    def ask(self, path: Path) -> Answer:
        """What becomes of this file."""
        assert self._process.stdin is not None
        line = ""
        with contextlib.suppress(BrokenPipeError, queue.Empty):
            self._process.stdin.write(f"{path}\n")
            self._process.stdin.flush()
            line = self._lines.get(timeout=PATIENCE)
        if line:
            return Answer(**json.loads(line))
        code = self._end()
        self._start()
        return Answer("", f"the process ended with {code}" if code != -9 else f"no answer in {PATIENCE:.0f} s")


def outcome(path: Path) -> tuple[str, str]:
    """The sentence and the fault; what the ending can mean is tried as every kind that it can be."""
    from algorithms import DataError, ParamError
    from algorithms._checks.values import is_sentence
    from mlviz.data.files import read_data
    from mlviz.data.formats import all_formats
    from mlviz.session.archive import SessionError
    from mlviz.session.files import load

    kinds = {form.kind for form in all_formats() if form.read is not None and path.suffix in form.suffixes}
    ways = [lambda: load(path)] if path.suffix == ".mlviz" else [lambda: read_data(path)]
    ways += [lambda kind=kind: read_data(path, kinds=(kind,)) for kind in sorted(kinds)]  # type: ignore[misc]
    said = ""
    for way in ways:
        try:
            way()
        except (DataError, ParamError, SessionError) as error:
            said = str(error)
        except BaseException as error:
            return "", f"{type(error).__name__}: {str(error)[:200]}"
        if said and (not is_sentence(said) or len(said) > 1500 or not said.isprintable()):
            return "", f"no sentence: {said[:300]!r}"
    return said, ""


def main() -> None:
    """Read what is asked for."""
    answers, status = os.fdopen(os.dup(1), "w"), Path("/proc/self/status")
    os.dup2(2, 1)  # whatever a reader prints does not get between the answers
    for line in sys.stdin:
        base = _peak(status)
        begun = _cpu()
        said, fault = outcome(Path(line.rstrip("\n")))
        seconds = _cpu() - begun
        answer = {"said": said, "fault": fault, "seconds": seconds, "megabytes": _peak(status, False) - base}
        print(json.dumps(answer), file=answers, flush=True)


def _cpu() -> float:
    """Seconds of work, also of processes that were started for it: what the machine does beside them does not count."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _peak(status: Path, reset: bool = True) -> float:
    """The most memory that the process has had since the last reset, in MB; where the system does not say, 0."""
    if not status.exists():
        return 0.0
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main()
