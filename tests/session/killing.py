"""Saves again and again in processes that are killed in the middle: ``python -m tests.session.killing FILE KILLS HOW``.

Each kill comes with another call of a Python or built-in function, spread evenly over all that a save makes; ``HOW`` is
``here``, or ``thread`` as the autosave does it. Prints the number that the file holds after each kill.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any

import numpy as np

from algorithms import Points, find
from mlviz.session import files
from mlviz.session.document import Document


def document(k: int) -> Document:
    """A document of which data and parameters tell the same number."""
    return Document(Points(np.full((4000, 2), float(k))), "k_means", {"k": k})


def dying(path: str, last: int, how: str) -> int:
    """Save a second time in a process that dies with this call; how many calls there were when it has lived."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        calls = 0

        def count(frame: Any, event: str, function: Any) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")
            if calls == last:
                os.kill(os.getpid(), signal.SIGKILL)

        def save() -> None:
            sys.setprofile(count)
            files.save(path, document(2))
            sys.setprofile(None)
            os.write(write, str(calls).encode())

        if how == "thread":
            thread = threading.Thread(target=save)
            thread.start()
            thread.join()
        else:
            save()
        os._exit(0)
    os.close(write)
    _, status = os.waitpid(child, 0)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    assert os.WIFSIGNALED(status) == (last > 0), "it was not killed when it should have been"
    return int(said) if said else 0


def held(path: str) -> int:
    """The number in the file, which must be the same in its data and its parameters."""
    found = files.load(path).document
    k = int(found.params["k"])
    assert np.array_equal(found.data.arrays()["X"], np.full((4000, 2), float(k)))
    return k


def main(path: str, kills: int, how: str) -> None:
    """Kill so often."""
    find("k_means")
    files.save(path, document(1))
    files.load(path)
    calls = dying(path, 0, how)
    seen = []
    for last in np.linspace(1, calls - 1, kills).astype(int).tolist():
        files.save(path, document(1))
        dying(path, last, how)
        seen.append(held(path))
    print(json.dumps(seen))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
