"""Work in other processes of this machine, one for each core.

loky keeps the processes (it starts them without copying the window and its threads, and notices when one dies). Here
are the three things that a laboratory wants besides: work that is being done can be called off, through flags in a file
that all processes see; large arguments are sent once, through a file; and what was lost with a process is done again.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import pickle
import select
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from algorithms.executor import Begin, Executor, Future, WorkersLost
from algorithms.interrupt import Interrupted, interruptible
from mlviz.worker.blas import VARIABLES
from mlviz.worker.gui_priority import NICENESS

TRIES = 3
"""How often a piece of work is begun that was lost with its process."""
IDLE = 300
"""Seconds after which a process that has nothing to do ends."""
LOST = f"A process ended {TRIES} times before its work was done; perhaps there is too little memory."
LOOK_EVERY = 1.0
"""Seconds between two looks whether the program is still there, where the system does not tell."""
UP, DOWN = b"1", b"0"


def cores() -> int:
    """The cores that this program may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Processes(Executor):
    """Processes on this machine, started with the first work."""

    def __init__(self, workers: int = 0) -> None:
        super().__init__(workers or cores())
        self._folder = Path(tempfile.mkdtemp(prefix="mlviz-work-"))
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self._pool: Any = None
        self._flags: set[Path] = set()
        self._flag = self._raised()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future:
        """Hand the work to the next process that has nothing to do."""
        return _Work(self, function, arguments, self._flag)

    def begin(self, function: Callable[..., Any], arguments: tuple[Any, ...], flag: Path) -> Any:
        """The pool's future; a pool that has lost a process is replaced first."""
        from loky import BrokenProcessPool, ProcessPoolExecutor

        with self._lock:
            for _ in range(TRIES):
                if self._pool is None:
                    environment = dict.fromkeys(VARIABLES, "1")
                    self._pool = ProcessPoolExecutor(
                        self.workers, timeout=IDLE, initializer=_settle, initargs=(os.getpid(),), env=environment
                    )
                try:
                    return self._pool.submit(_do, str(flag), function, arguments)
                except BrokenProcessPool:
                    self._pool = None
        raise WorkersLost(LOST)

    def cancel(self) -> None:
        """Everything that was submitted up to now ends at its next checkpoint."""
        with self._lock:
            for flag in self._flags:
                _lower(flag)
                with contextlib.suppress(OSError):  # where a file cannot go while somebody looks at it, it stays
                    flag.unlink()
            self._flags.clear()
            self._flag = self._raised()

    def close(self) -> None:
        """End the processes."""
        self.cancel()
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=True, kill_workers=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def batch(self, shared: Any) -> Generator[Begin]:
        """What is shared lies in a file, which every process reads once."""
        flag, path = self._raised(), self._folder / f"shared-{next(self._numbers)}"
        path.write_bytes(pickle.dumps(shared, pickle.HIGHEST_PROTOCOL))
        try:
            yield lambda function, item: _Work(self, _with_file, (function, str(path), item), flag)
        finally:
            _lower(flag)
            with self._lock:
                self._flags.discard(flag)
            flag.unlink(missing_ok=True)
            path.unlink(missing_ok=True)

    def _raised(self) -> Path:
        """A new flag: as long as it is up, the work that looks at it goes on."""
        flag = self._folder / f"flag-{next(self._numbers)}"
        flag.write_bytes(UP)
        with self._lock:
            self._flags.add(flag)
        return flag


_own: list[Processes] = []


def processes_of_this_program() -> Processes:
    """One pool for the whole program, made when it is first needed."""
    if not _own:
        _own.append(Processes())
    return _own[0]


def end_processes() -> None:
    """At the end of the program."""
    while _own:
        _own.pop().close()


class _Work:
    """One piece, begun again when the process that did it has died."""

    def __init__(self, owner: Processes, function: Callable[..., Any], arguments: tuple[Any, ...], flag: Path) -> None:
        self._owner, self._what = owner, (function, arguments, flag)
        self._tries = 1
        self._future = owner.begin(*self._what)
        owner.submitted += 1

    def result(self, timeout: float | None = None) -> Any:
        """The result, when it is there in time."""
        from loky import BrokenProcessPool

        try:
            found = self._future.result(timeout)
        except BrokenProcessPool as error:
            if self._tries >= TRIES:
                raise WorkersLost(LOST) from error
            self._tries += 1
            self._future = self._owner.begin(*self._what)
            raise TimeoutError from error
        self._owner.done += 1
        return found

    def cancel(self) -> None:
        """Its flag is down, so it ends as it begins: loky fails when its pool is closed over a cancelled future."""


def _lower(flag: Path) -> None:
    with contextlib.suppress(FileNotFoundError), flag.open("r+b") as file:
        file.write(DOWN)  # in its place: the other processes look at this very byte


# -- in the other process ---------------------------------------------------------------------------------------------

_latest: dict[str, Any] = {}


def _settle(program: int) -> None:
    """What a new process does first: it lets the window go before it, and ends when the program does.

    Ctrl+C in a terminal reaches all processes; the program alone decides what becomes of the work.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
        threading.Thread(target=_end_with, args=(program,), daemon=True).start()


def _end_with(program: int) -> None:
    """Wait for the end of the program, however it comes about, and end."""
    with contextlib.suppress(AttributeError, ProcessLookupError, OSError):  # not on macOS, or it has ended already
        select.select([os.pidfd_open(program)], [], [])
    while os.getppid() == program:
        time.sleep(LOOK_EVERY)
    os._exit(1)


def _do(flag: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The work, until somebody calls it off."""
    if not os.path.exists(flag):
        raise Interrupted  # called off before it was begun
    with (
        open(flag, "rb") as file,
        mmap.mmap(file.fileno(), 1, access=mmap.ACCESS_READ) as seen,
        interruptible(lambda: seen[:1] != UP),
    ):
        return function(*arguments)


def _with_file(function: Callable[[Any, Any], Any], path: str, item: Any) -> Any:
    """The function of what lies in the file, which is read once for all items."""
    if _latest.get("path") != path:
        _latest.update(path=path, shared=pickle.loads(Path(path).read_bytes()))
    return function(_latest["shared"], item)
