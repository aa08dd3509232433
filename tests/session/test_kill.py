"""A save that is killed at any moment leaves the old file or the new one, whole."""

import signal
import subprocess
import sys

import numpy as np
import pytest

from mlviz.session import files

SAVING = """
import os, signal, sys
import numpy as np
from algorithms import Points
from mlviz.session import files
from mlviz.session.document import Document

path, last = sys.argv[1], int(sys.argv[2])
old, new = [Document(Points(np.full((4000, 2), float(k))), "k_means", {"k": k}) for k in (1, 2)]
files.save(path, old)
calls = 0

def count(frame, event, function):
    global calls
    calls += event in ("call", "c_call")
    if calls == last:
        os.kill(os.getpid(), signal.SIGKILL)

sys.setprofile(count)
files.save(path, new)
sys.setprofile(None)
print(calls)
"""
KILLS = 12


@pytest.fixture(autouse=True)
def registered():
    """The real algorithms instead of the toys of this folder: the other program has the real ones too."""


def save(path, last):
    """Save twice in a program of its own, which dies with a certain call of the second save; 0 lets it live."""
    command = [sys.executable, "-c", SAVING, str(path), str(last)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_killing_a_save_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "a.mlviz"
    calls = int(save(path, 0).stdout)
    seen = []
    for last in np.linspace(1, calls - 1, KILLS).astype(int):
        assert save(path, last).returncode == -signal.SIGKILL
        document = files.load(path).document
        k = document.params["k"]
        assert np.array_equal(document.data.X, np.full((4000, 2), float(k)))  # data and parameters of the same save
        seen.append(k)
    assert seen == sorted(seen)
    assert set(seen) == {1, 2}  # some kills came before the new file was in place, some after
