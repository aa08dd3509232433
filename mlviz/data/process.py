"""A reader in a process of its own: whatever happens to it, the window stays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from algorithms.data import DataError
from mlviz.data import reader_process
from mlviz.data.reading import Reading

ABORTED, OUT_OF_TIME = -6, -24
"""The signals of a reader that cannot get the memory it wants, and of one that has used up its time."""


def read_in_process(kind: str, path: Path, target: Path, reading: Reading, *more: str) -> int:
    """Let the process write what it finds into ``target``, and give its exit code; it is ended with the load.

    Raises
    ------
    DataError
        When the file would take more memory or time than is given to a file of its size.
    """
    command = [sys.executable, "-P", reader_process.__file__, kind, str(path.absolute()), str(target), *more]
    code = _run(command, reading)
    if code in (reader_process.NO_MEMORY, ABORTED):
        why = ", or it has a cell far away from all others" if kind == "sheet" else ""
        raise DataError(f"{path.name} would take more than {_memory(path)} to read. It is damaged{why}.")
    if code == OUT_OF_TIME:
        how = "make it smaller" if kind == "picture" else "save it as CSV"
        raise DataError(f"{path.name} takes too long to read; it is damaged, or {how}.")
    return code


def _memory(path: Path) -> str:
    most = reader_process.MEMORY + reader_process.MEMORY_PER_BYTE * path.stat().st_size
    return f"{most / 2**30:.3g} GB of memory"


def _run(command: list[str], reading: Reading) -> int:
    """The exit code of a program that is ended when the load is called off."""
    alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # every thread of it would reserve memory
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=alone) as program:
        try:
            while True:
                reading.step(0.0, "Reading the file")
                try:
                    return program.wait(0.05)
                except subprocess.TimeoutExpired:
                    continue
        finally:
            program.kill()
