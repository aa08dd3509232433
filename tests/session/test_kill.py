"""A save that is killed at any moment, on its own or as an autosave, leaves the old file or the new one, whole."""

import json
import os
import subprocess
import sys

import pytest

KILLS = int(os.environ.get("MLVIZ_KILLS", "40"))
"""``make kills`` kills 200 times each way."""


@pytest.fixture(autouse=True)
def registered():
    """The real algorithms instead of the toys of this folder: the other program has the real ones too."""


@pytest.mark.parametrize("how", ["here", "thread"])
def test_killing_a_save_at_any_moment_leaves_a_whole_file(tmp_path, how):
    command = [sys.executable, "-m", "tests.session.killing", str(tmp_path / "a.mlviz"), str(KILLS), how]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert len(seen) == KILLS
    assert seen == sorted(seen)
    assert set(seen) == {1, 2}  # some kills came before the new file was in place, some after
