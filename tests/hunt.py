"""``make hunt MINUTES=5``: the property tests with new examples, again and again, for a given time.

The usual run draws the same examples every time. Here each round draws new ones; what fails is shrunk and printed, and
becomes an ``@example`` of its test (and is tried first in the next hunt, see ``.hypothesis``).
"""

import argparse
import functools
import os
import subprocess
import sys
import time

import pytest

CLOCK = time.thread_time if os.environ.get("MLVIZ_HUNT") else None
"""What steps are measured with; only while hunting, because a test does not read the clock."""
ROUND = [sys.executable, "-m", "pytest", "-q", "-m", "hypothesis", "-p", "tests.hunt"]


@functools.cache
def _end() -> float:
    """When the hunt is over. Its time begins with the first test: a busy machine needs minutes to find them."""
    said = os.environ["MLVIZ_HUNT"]
    return time.time() + float(said) if said.startswith("+") else float(said)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """The last round ends in time: what has not begun by then is left out."""
    if time.time() > _end():
        pytest.skip("the hunt is over")


def hunt(minutes: float, where: list[str]) -> int:
    """The exit code of the first round that finds something, or 0 when the time is over."""
    end, rounds = time.time() + 60.0 * minutes, 0
    while time.time() < end:
        rounds += 1
        until = f"+{60.0 * minutes}" if rounds == 1 else str(end)
        done = subprocess.run([*ROUND, *where], env={**os.environ, "MLVIZ_HUNT": until}, check=False)
        if done.returncode:
            print(f"Round {rounds} found something: give each falsifying example to its test as an @example.")
            return done.returncode
    print(f"{rounds} rounds found nothing.")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float)
    parser.add_argument("where", nargs="*", help="tests to look at, as pytest takes them")
    given = parser.parse_args()
    sys.exit(hunt(given.minutes, given.where or ["-n", "2", "tests"]))
