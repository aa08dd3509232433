"""The program as a whole, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

JOURNEY = Path(__file__).with_name("journey.py")


def run(tmp_path, script=JOURNEY, timeout=1000):
    environment = {**os.environ, "MLVIZ_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [sys.executable, "-W", "error", str(script)], env=environment, capture_output=True, text=True, timeout=timeout
    )


def test_a_method_of_every_kind_is_played_to_the_end_and_the_program_ends_cleanly(tmp_path):
    journey = run(tmp_path)
    assert journey.stderr == ""
    assert journey.stdout.strip() == "arrived"
    assert journey.returncode == 0
    log = (tmp_path / "log" / "mlviz.log").read_text()
    assert "Traceback" not in log


def test_a_stuck_or_broken_journey_would_be_noticed(tmp_path):
    """The test above can fail: an exception on the way ends it and shows on stderr."""
    broken = tmp_path / "broken.py"
    text = JOURNEY.read_text().replace('assert window.document.algorithm == "k_means"', "raise RuntimeError('lost')")
    broken.write_text(text)
    journey = run(tmp_path, broken)
    assert "lost" in journey.stderr
    assert journey.returncode == 3
