"""Tables of distances: the built-in ones, and as files that anyone may have written."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import fit
from algorithms.data import DataError, Distances, Points
from mlviz.data import distance_files
from mlviz.data.distance_files import distances_from_text, distances_text, is_distance_table
from mlviz.data.files import kind_of, read_data
from mlviz.data.measuring import METRICS, distances_between
from mlviz.data.saving import as_text, save_data
from mlviz.data.spec import load_data

PLACES = {
    "Athens": (37.98, 23.73),
    "Barcelona": (41.39, 2.17),
    "Belgrade": (44.79, 20.45),
    "Berlin": (52.52, 13.40),
    "Brussels": (50.85, 4.35),
    "Bucharest": (44.43, 26.10),
    "Budapest": (47.50, 19.04),
    "Copenhagen": (55.68, 12.57),
    "Dublin": (53.35, -6.26),
    "Helsinki": (60.17, 24.94),
    "Istanbul": (41.01, 28.98),
    "Kyiv": (50.45, 30.52),
    "Lisbon": (38.72, -9.14),
    "London": (51.51, -0.13),
    "Madrid": (40.42, -3.70),
    "Milan": (45.46, 9.19),
    "Moscow": (55.76, 37.62),
    "Oslo": (59.91, 10.75),
    "Paris": (48.86, 2.35),
    "Prague": (50.08, 14.44),
    "Reykjavik": (64.15, -21.94),
    "Rome": (41.90, 12.50),
    "Sofia": (42.70, 23.32),
    "Stockholm": (59.33, 18.07),
    "Vienna": (48.21, 16.37),
    "Warsaw": (52.23, 21.01),
    "Zurich": (47.38, 8.54),
}
"""Latitude and longitude."""
TRIANGLE = "km,a,b,c\na,0,3,4\nb,3,0,5\nc,4,5,0\n"


def test_the_cities_are_as_far_apart_as_on_the_globe():
    cities = load_data("cities")
    assert cities.names == tuple(PLACES)
    latitude, longitude = np.radians(list(PLACES.values())).T
    at = np.column_stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
    angle = np.arccos(np.clip(at @ at.T, -1.0, 1.0))
    np.fill_diagonal(angle, 0.0)
    assert np.abs(cities.table - 6371.0 * angle).max() <= 0.501


def test_the_roads():
    roads = load_data("cities_by_road")
    assert roads.n == 21
    assert roads.table[roads.names.index("Brussels"), roads.names.index("Paris")] == 285
    assert roads.table.max() == roads.table[roads.names.index("Athens"), roads.names.index("Lisbon")] == 4532


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_table_as_text():
    data = distances_from_text(TRIANGLE.splitlines())
    assert data.names == ("a", "b", "c")
    assert data.table.tolist() == [[0, 3, 4], [3, 0, 5], [4, 5, 0]]
    assert distances_text(data) == TRIANGLE.replace("km", "")


@pytest.mark.parametrize(
    "text",
    [
        TRIANGLE.replace(",", ";"),
        TRIANGLE.replace(",", "\t"),
        "\ufeff" + TRIANGLE.replace("\n", "\r\n"),
        "\n" + TRIANGLE.replace("\n", "\n\n"),
        "km,a,b,c\na\nb,3\nc,4,5\n",  # a mileage chart, filled below its diagonal
        "km,a,b,c\na,,3,4\nb,,,5\nc,,,\n",
    ],
)
def test_other_ways_of_writing_the_same(text):
    assert distances_from_text(text.splitlines(keepends=True)).table.tolist() == [[0, 3, 4], [3, 0, 5], [4, 5, 0]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("\n", "t.csv is empty"),
        ("km\n", "its first row has no names"),
        ("km,a,b\na,0,1\n", "2 columns of distances but only 1 row"),
        ("km,a,b\na,0,1\nb,1,0\nc,2,2\n", "2 columns of distances but more rows"),
        ("km,a,b\na,0,1\nx,1,0\n", "Row 2 of t.csv is called 'x', but column 2 is called 'b'"),
        ("km,a,b\na,0,far\nb,1,0\n", "between 'a' and 'b' in t.csv is 'far', which is no number"),
        ("km,a,b\na,0\nb\n", "The distance between 'a' and 'b' is missing"),
        ("km,a,b\na,0,1,9\nb,1,0\n", "Row 'a' of t.csv has 3 distances; there are 2 columns"),
        ("km,a,b\na,0,1\nb,2,0\n", "not symmetric"),
        ("km,a,b\na,0,-1\nb,-1,0\n", "negative"),
        ("km,a,b\na,5,1\nb,1,0\n", "to itself must be 0"),
        ("km,a,b\na,0,inf\nb,inf,0\n", "finite"),
        ("km," + ",".join(map(str, range(4001))), "4,001 columns; at most 4,000"),
        ('km,a\n"a,0', "distances"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, words):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=words):
        distance_files.read_distances(path)


def test_a_file_is_a_table_of_distances_when_its_first_column_repeats_its_first_row(tmp_path):
    path, points = tmp_path / "t.csv", tmp_path / "p.csv"
    path.write_text(TRIANGLE, encoding="utf-8")
    points.write_text("a,b,c\n0,3,4\n3,0,5\n4,5,0\n", encoding="utf-8")
    assert is_distance_table(path)
    assert not is_distance_table(points)
    assert isinstance(read_data(path, kinds=("distances", "points")), Distances)
    assert isinstance(read_data(points, kinds=("distances", "points")), Points)
    assert kind_of(path) == "distances"
    assert kind_of(path, ("points",)) == "points"  # nobody has asked for distances
    assert kind_of(path, ("distances", "points")) == "distances"
    assert read_data(path, kinds=("distances",)).name == "t"


@given(st.integers(1, 9), st.integers(0, 10**6), st.booleans())
def test_what_is_written_is_read_back_the_same(tmp_path_factory, n, seed, named):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-9, 9)
    table = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    names = tuple(f'"{k}", thing;\t{k}' for k in range(n)) if named else ()
    data = Distances(table, names)
    path = tmp_path_factory.mktemp("d") / "t.csv"
    save_data(path, data)
    again = read_data(path, kinds=("distances",))
    assert np.array_equal(again.table, data.table)
    assert again.names == data.names
    pasted = distances_from_text(as_text(data, "\t").splitlines(keepends=True))
    assert np.array_equal(pasted.table, data.table)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode) | st.just(TRIANGLE.encode()), st.integers(0, 60))
def test_no_file_breaks_the_reader(tmp_path_factory, content, cut):
    path = tmp_path_factory.mktemp("f") / "t.csv"
    path.write_bytes(content[:cut] + content[cut + 1 :])
    if is_distance_table(path):
        with contextlib.suppress(DataError):
            assert isinstance(read_data(path, kinds=("distances",)), Distances)


# --- measured between points ------------------------------------------------------------------------------------------

SQUARE = Points([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]], ["a", "b", "a"])


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [
        ("euclidean", [5.0, 3.0, 4.0]),
        ("manhattan", [7.0, 3.0, 4.0]),
        ("maximum", [4.0, 3.0, 4.0]),
        ("hamming", [1.0, 0.5, 0.5]),
        ("standardised", [np.sqrt(9.0), np.sqrt(4.5), np.sqrt(4.5)]),  # the variances are 2 and 32/9
        ("along the graph", [7.0, 3.0, 4.0]),
    ],
)
def test_three_points_by_hand(metric, wanted):
    data = distances_between(SQUARE, metric, neighbours=1)
    assert data.table[[0, 0, 1], [1, 2, 2]] == pytest.approx(wanted)
    assert data.names == ("a 1", "b 1", "a 2")


def test_what_has_no_angle_has_no_cosine_distance():
    assert distances_between(Points([[1.0, 0.0], [0.0, 1.0]]), "cosine").table[0, 1] == pytest.approx(1.0)
    with pytest.raises(DataError, match="The cosine distance of point 1 is not defined"):
        distances_between(SQUARE, "cosine")


def test_along_a_graph_in_pieces_there_is_no_distance():
    X = np.concatenate([np.zeros((5, 2)) + np.arange(5)[:, None], np.full((5, 2), 99.0) + np.arange(5)[:, None]])
    with pytest.raises(DataError, match="in 2 pieces"):
        distances_between(Points(X), "along the graph", neighbours=2)


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_measures_a_table(metric):
    data = load_data(f"distance_table(data='iris',metric='{metric}',neighbours=40)")
    assert data.n == 150
    assert data.names[0] == "setosa 1"


def test_isomap_is_scaling_of_distances_along_the_graph():
    table = load_data("distance_table(data='swiss_roll(n=200,seed=1)',metric='along the graph',neighbours=9)")
    ours = fit("mds", table).model.embedding
    theirs = fit("isomap", load_data("swiss_roll(n=200,seed=1)"), neighbours=9).model.embedding
    assert np.abs(ours) == pytest.approx(np.abs(theirs), abs=1e-6)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("distance_table(data='cities')", "measured between points; cities gives data of the kind 'distances'"),
        ("distance_table(data='distance_table()')", "not between distances"),
        ("distance_table(data='/etc/passwd')", "is not a generator call"),
        ("distance_table(data='uniform(n=4001)')", "at most 4,000 rows"),
    ],
)
def test_what_cannot_be_measured_is_said(spec, words):
    with pytest.raises(DataError, match=words):
        load_data(spec)
