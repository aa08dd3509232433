"""Series from generators, built-in sets and files: kept states, known facts, the same after writing and reading."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.data import DataError, Points, Sequences
from mlviz import cli
from mlviz.data.files import read_data
from mlviz.data.generators import generate
from mlviz.data.saving import save_data
from mlviz.data.sequence_files import sequences_from_text, sequences_text
from mlviz.data.spec import load_data


def test_the_casino_throws_as_it_says() -> None:
    data = generate("casino", n=50_000, fair=0.9, loaded=0.8, six=0.7, seed=1)
    states, throws = data.states[0], data.series[0]
    assert data.symbols == tuple("123456")
    assert np.mean(states[1:][states[:-1] == 0] == 0) == pytest.approx(0.9, abs=0.01)
    assert np.mean(states[1:][states[:-1] == 1] == 1) == pytest.approx(0.8, abs=0.01)
    assert np.mean(throws[states == 1] == 5) == pytest.approx(0.7, abs=0.01)
    assert np.bincount(throws[states == 0]) / np.sum(states == 0) == pytest.approx(np.full(6, 1 / 6), abs=0.01)


def test_the_weather_shows_as_it_says() -> None:
    data = generate("weather", n=50_000, seed=1)
    states, done = data.states[0], data.series[0]
    shown = np.array([np.bincount(done[states == k], minlength=3) / np.sum(states == k) for k in range(2)])
    assert shown == pytest.approx(np.array([[0.1, 0.4, 0.5], [0.6, 0.3, 0.1]]), abs=0.01)
    assert np.mean(states == 0) == pytest.approx(4 / 7, abs=0.02)  # the stationary distribution


def test_a_gaussian_chain_stands_around_its_levels() -> None:
    data = generate("gaussian_chain", n=20_000, states=4, noise=0.5, series=2, seed=1)
    assert len(data.series) == 2
    states, values = np.concatenate(data.states), np.concatenate(data.series)[:, 0]
    assert [values[states == k].mean() for k in range(4)] == pytest.approx([0, 3, 6, 9], abs=0.05)
    assert [values[states == k].std() for k in range(4)] == pytest.approx([0.5] * 4, abs=0.02)
    assert np.mean(np.diff(data.states[0]) == 0) == pytest.approx(0.95, abs=0.01)
    exact = generate("gaussian_chain", n=50, noise=0, features=3)
    assert len(np.unique(exact.series[0], axis=0)) <= 3
    assert exact.d == 3


def test_famous_series_have_the_facts_that_are_printed_about_them() -> None:
    quakes, nile = load_data("earthquakes").series[0][:, 0], load_data("nile").series[0][:, 0]
    assert (len(quakes), quakes.mean(), quakes.var(ddof=1)) == pytest.approx((107, 19.36, 51.57), abs=0.005)
    assert (len(nile), nile.mean(), nile.std(ddof=1)) == pytest.approx((100, 919.35, 169.23), abs=0.005)
    assert nile[:28].mean() - nile[28:].mean() > 200


numbers = st.floats(-1e9, 1e9)
names = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)


@st.composite
def some_sequences(draw: st.DrawFn) -> Sequences:
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    states = [np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))) for n in lengths]
    if all(state.min() > 0 for state in states):
        states[0][0] = 0  # a file whose states begin with 1 is counted from there
    kept = tuple(states) if draw(st.booleans()) else None
    if draw(st.booleans()):
        symbols = draw(st.lists(names, min_size=1, max_size=5, unique=True))
        shown = tuple(
            np.array(draw(st.lists(st.integers(0, len(symbols) - 1), min_size=n, max_size=n))) for n in lengths
        )
        return Sequences(shown, kept, tuple(symbols))
    d = draw(st.integers(1, 3))
    rows = st.lists(numbers, min_size=d, max_size=d)
    return Sequences(tuple(np.array(draw(st.lists(rows, min_size=n, max_size=n))) for n in lengths), kept)


@given(some_sequences())
def test_what_is_written_is_read_back_exactly(data: Sequences) -> None:
    again = sequences_from_text(sequences_text(data).splitlines(keepends=True))
    assert again.sha256 == data.sha256


@given(st.text(max_size=300) | st.binary(max_size=300).map(lambda raw: raw.decode("utf-8", "replace")))
def test_any_text_gives_series_or_a_sentence(text: str) -> None:
    said = ""
    try:
        data = sequences_from_text(text.splitlines(keepends=True))
    except DataError as error:
        said = str(error)
    assert said.endswith(".") or data.n >= 1


CASES = {
    " ": "is empty",
    "# kind: sequences\n": "no header",
    "value,state\n": "no moments",
    "series,state\n1,2\n": "no column for what is seen",
    "x,y\n1,2\n3\n": "Moment 2 .* has 1 cells; there are 2 columns",
    "x,y\n1,2\n3,\n": "Moment 2 .* has nothing in the column 'y'",
    "x,y\n1,2\n3,red\n": "Moment 2 .* has 'red' in the column 'y', which is no number",
    "x,x\n1,2\n": "each another one",
    '# symbols: ["a"]\nsymbol\nb\n': "'b' .* is not one of those that are listed",
    '# symbols: ["a", 1]\nsymbol\na\n': "different texts",
    "# symbols: [a]\nsymbol\na\n": "cannot be read",
    "x\n1\nnan\n": "finite",
    "x\n" + "\n".join(f"w{k}" for k in range(70)): "more than 64 symbols",
    ",".join(f"x{k}" for k in range(70)) + "\n": "70 columns",
}


@pytest.mark.parametrize("text", CASES)
def test_what_is_wrong_with_a_file_is_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "series.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=CASES[text]) as caught:
        read_data(path, kinds=("sequences",))
    assert str(caught.value).endswith(".")


def test_other_ways_to_write_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rooms.csv"
    path.write_text("time;room;state\n1;kitchen;a\n2;kitchen;b\n3;hall;a\n", encoding="utf-8-sig")
    rooms = read_data(path, kinds=("sequences",))
    assert (rooms.symbols, rooms.series[0].tolist(), rooms.states[0].tolist()) == (
        ("hall", "kitchen"),
        [1, 1, 0],
        [0, 1, 0],
    )
    path.write_text("1.5\n2.5\n")
    assert read_data(path, kinds=("sequences",)).series[0].tolist() == [[1.5], [2.5]]
    path.write_text("series,x,state\nb,1,0\na,2,1\nb,3,1\n")
    two = read_data(path, kinds=("sequences",))
    assert [one[:, 0].tolist() for one in two.series] == [[1.0, 3.0], [2.0]]
    assert [one.tolist() for one in two.states] == [[0, 1], [1]]


def test_the_first_line_tells_series_from_points(tmp_path: Path) -> None:
    data = generate("gaussian_chain", n=9, series=2)
    path = tmp_path / "a.csv"
    save_data(path, data)
    again = read_data(path)
    assert isinstance(again, Sequences)
    assert again.sha256 == data.sha256
    path.write_text(path.read_text().partition("\n")[2])
    assert isinstance(read_data(path), Points)
    assert isinstance(read_data(path, kinds=("sequences",)), Sequences)


def test_the_command_line_saves_and_reads_series(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "casino.csv"
    assert cli.main(["data", "casino(n=30,series=2,seed=1)", "--out", str(path)]) == 0
    assert path.read_text().startswith(
        '# kind: sequences\n# symbols: ["1", "2", "3", "4", "5", "6"]\nseries,symbol,state\n'
    )
    assert cli.main(["fit", "hidden_markov", "--data", str(path)]) == 0
    assert "2 series, 60 moments" in capsys.readouterr().out
    done = subprocess.run(
        [sys.executable, "-m", "mlviz", "fit", "k_means", "--data", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
