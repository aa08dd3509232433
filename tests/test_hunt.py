"""The hunt ends in time, and reports what it finds."""

import textwrap
from pathlib import Path

from tests.hunt import hunt

ROOT = Path(__file__).parent.parent


def property_of(tmp_path, condition):
    """A file with one property test, and a plain test that a hunt leaves alone."""
    path = tmp_path / "test_one.py"
    path.write_text(
        textwrap.dedent(f"""
        from hypothesis import given, strategies

        @given(strategies.integers(0, 10_000))
        def test_numbers(number):
            assert {condition}

        def test_plain():
            assert False
        """)
    )
    return [str(path), "-p", "no:cacheprovider"]


def test_what_it_finds_is_named(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where Hypothesis keeps what it found
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert hunt(60.0, property_of(tmp_path, "number < 50")) == 1
    said = capfd.readouterr().out
    assert "number=50" in said
    assert "Round 1 found something" in said


def test_the_time_begins_with_the_first_test_and_not_with_looking_for_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert hunt(0.01, property_of(tmp_path, "number < 0")) == 1  # less than the start of a process takes


def test_without_time_nothing_is_begun(tmp_path, capfd):
    assert hunt(0.0, property_of(tmp_path, "True")) == 0
    assert capfd.readouterr().out == "0 rounds found nothing.\n"
