"""The benchmark suite runs from end to end and reports every row of its table. No time is judged here."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from algorithms.registry import all_algorithms, find
from tests.benchmarks.bench import EXPECTED
from tests.benchmarks.record import Row, duel, geometric_mean, words
from tests.benchmarks.window import LONG, sized_example

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """What the quick mode prints and writes."""
    out = tmp_path_factory.mktemp("bench") / "deep" / "bench.json"
    command = [sys.executable, "-m", "tests.benchmarks.bench", "--quick", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(out.read_text(encoding="utf-8"))


def test_every_row_has_a_finite_ratio(quick):
    _, report = quick
    assert {row["group"] for row in report["rows"] if row["summary"]} == set(EXPECTED)
    assert all(math.isfinite(row["ratio"]) and row["ratio"] >= 0 for row in report["rows"])
    assert report["failures"] == []


def test_every_row_says_what_it_is_measured_against(quick):
    printed, report = quick
    for row in report["rows"]:
        assert row["opponent"]
        assert row["ours"]
        assert row["theirs"]
        assert f"| {row['case']} " in printed
    assert len(re.findall(r"^\|", printed, re.MULTILINE)) == len(report["rows"]) + 2


def test_the_machine_and_the_versions_are_named(quick):
    _, report = quick
    assert set(report["machine"]["versions"]) >= {"numpy", "scikit-learn", "matplotlib", "PySide6-Essentials"}
    assert report["machine"]["cores"] >= 1
    assert report["quick"]


@pytest.mark.parametrize("key", LONG)
def test_the_long_runs_of_the_tick_are_parameters_of_their_methods(key):
    """The quick mode looks at two methods only, and so did not miss a parameter that had gone."""
    assert find(key).make_params(LONG[key])


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_the_tick_has_an_example_of_its_size_or_the_nearest_for_every_method(algorithm):
    data = sized_example(algorithm, 1000)
    assert not algorithm.accepts or isinstance(data, algorithm.accepts)


def test_a_target_is_met_at_its_very_edge_and_missed_above_it():
    row = {"group": "fit", "case": "c", "opponent": "o", "ours": "1", "theirs": "1"}
    assert Row(**row, ratio=3.0, reach=3.0).met
    assert Row(**row, ratio=3.01, reach=3.0).met is False
    assert Row(**row, ratio=3.0, reach=None).met is None


def test_both_sides_of_a_duel_take_turns():
    calls = []
    ours, theirs = duel(lambda: calls.append("a"), lambda: calls.append("b"), rounds=4, warm=0)
    assert (len(ours), len(theirs)) == (4, 4)
    assert "".join(calls) == "baabbaab"  # who begins changes


def test_numbers_in_words():
    assert [words(t) for t in (2.5, 0.0123, 0.0000456)] == ["2.50 s", "12.3 ms", "45.6 µs"]
    assert geometric_mean([0.5, 2.0, 8.0]) == pytest.approx(2.0)
