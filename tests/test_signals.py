"""A signal ends a command and the window in order: nothing goes on working, and what is said is a sentence.

Everybody whom a command starts holds its stderr, so that reading it to the end waits for the last of them.
"""

import os
import signal
import subprocess
import sys

import pytest

SWEEP = ["sweep", "kernel_svm", "--data", "moons(n=600,noise=0.3)", "--over", "C=0.01..100:log:20"]
WINDOW = """
import mlviz.views
from PySide6.QtCore import QTimer
from mlviz import app
from mlviz.data.spec import load_data
from mlviz.session.document import Document
from mlviz.worker import processes

data = load_data("moons(n=600,noise=0.3)")
params = {"method": "kernel_svm(C=1000)", "folds": 10, "repeats": 20, "scheme": "repeated"}
app.first_document = lambda: (Document(data, "cross_validation", params), None)
real = app.make_window

def make_window(crashed=False):
    window = real(crashed)
    def look():
        if any(pool.submitted for pool in processes._own):
            poll.stop()
            print("working", flush=True)
    poll = QTimer(window, interval=5)
    poll.timeout.connect(look)
    poll.start()
    window.player.jump("end")
    return window

app.make_window = make_window
raise SystemExit(app.main())
"""


def begun(command, **more):
    """A program in a session of its own, as in a terminal."""
    return subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | more,
    )


@pytest.mark.parametrize(
    ("send", "number", "code"),
    [
        (os.killpg, signal.SIGINT, 130),  # Ctrl+C reaches everybody
        (os.kill, signal.SIGTERM, 143),
        (os.kill, signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_a_signal_ends_a_sweep_with_all_its_processes(send, number, code, tmp_path):
    table = tmp_path / "table.csv"
    command = ["-m", "mlviz", *SWEEP, "--over", "sigma=0.05..5:log:20", "--processes", "2", "--out", str(table)]
    program = begun(command)
    journal = table.with_name("table.csv.part")
    while program.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") > 1):
        os.sched_yield()  # until the first cells are there, below what is asked
    send(program.pid, number)
    _, said = program.communicate(timeout=600)
    assert program.returncode == code
    if number != signal.SIGKILL:
        assert said == f"mlviz: stopped; the same command goes on from {str(journal)!r}.\n"


def test_a_signal_closes_the_window_and_its_processes_end(tmp_path):
    program = begun(["-c", WINDOW], MLVIZ_HOME=str(tmp_path), QT_QPA_PLATFORM="offscreen")
    assert program.stdout.readline() == "working\n"
    os.kill(program.pid, signal.SIGTERM)
    _, said = program.communicate(timeout=600)
    assert (program.returncode, "Traceback" in said) == (143, False)
