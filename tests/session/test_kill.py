"""A save that is killed at any moment leaves the old file or the new one, whole."""

import random
import subprocess
import sys
import time

import numpy as np
import pytest

from mlviz.session import files

SAVING = """
import sys
import numpy as np
from algorithms import Points
from mlviz.session import files
from mlviz.session.document import Document

documents = [Document(Points(np.full((4000, 2), float(k))), "k_means", {"k": k}) for k in range(1, 21)]
files.save(sys.argv[1], documents[0])
print("ready", flush=True)
while True:
    for document in documents:
        files.save(sys.argv[1], document)
"""
KILLS = 12


@pytest.fixture(autouse=True)
def registered():
    """The real algorithms instead of the toys of this folder: the other program has the real ones too."""


def test_killing_a_save_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "a.mlviz"
    wait = random.Random(1)
    seen = set()
    for _ in range(KILLS):
        program = subprocess.Popen([sys.executable, "-c", SAVING, str(path)], stdout=subprocess.PIPE)
        assert program.stdout.readline() == b"ready\n"
        time.sleep(wait.uniform(0.0, 0.08))
        program.kill()
        program.wait()
        program.stdout.close()
        document = files.load(path).document
        k = document.params["k"]
        assert np.array_equal(document.data.X, np.full((4000, 2), float(k)))  # data and parameters of the same save
        seen.add(k)
    assert len(seen) > 1  # the kills did come at different moments
