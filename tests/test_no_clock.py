"""No test reads the clock: it would fail beside a busy neighbour. Wait for a condition, or hand in a clock."""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CLOCKS = {"sleep", "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time"}
"""Functions of the module ``time``."""
MEASURING = ("cost.py", "hunt.py", "hands.py", "play.py", "soak.py")
TESTS = [path for path in HERE.rglob("*.py") if "benchmarks" not in path.parts and path.name not in MEASURING]
"""Whatever measures, or plays for a given time, is no test."""


def readings(source: str) -> list[str]:
    """The calls that read the clock or let time pass, with their lines; handing a clock on is no call."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = ast.unparse(node.func)
        owner, _, function = name.rpartition(".")
        clock = owner.rpartition(".")[2] == "time" and function in CLOCKS
        if clock or name in ("qtbot.wait", "sleep", "perf_counter", "monotonic") or function in ("qWait", "qSleep"):
            found.append(f"line {node.lineno}: {name}")
    return found


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(HERE)))
def test_no_test_reads_the_clock(path):
    assert readings(path.read_text("utf-8")) == []


def test_readings_are_found():
    source = """
import time, datetime
def test(qtbot, clock=time.perf_counter):
    qtbot.wait(20)
    time.sleep(1)
    began = time.monotonic()
    QTest.qWait(5)
    clock()
    datetime.time()
    gate.wait(60)
"""
    assert readings(source) == [
        "line 4: qtbot.wait",
        "line 5: time.sleep",
        "line 6: time.monotonic",
        "line 7: QTest.qWait",
    ]
