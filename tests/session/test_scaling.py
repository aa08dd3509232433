"""The scale of the features: hand-worked numbers, the way back, and the session file."""

import json
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms import DataError, Points
from algorithms.data.scaling import SCALES, Scaling, scaled, split
from mlviz.data.spec import example_of
from mlviz.session import files
from mlviz.session.document import Document

TABLE = Points([[1.0, 10.0, 5.0], [3.0, 20.0, 5.0], [5.0, 60.0, 5.0]], [0, 1, 0], features=("a", "b", "c"))


def test_standardised_by_hand():
    data, scaling = scaled(TABLE, "standardised")
    # a: mean 3, variance (4+0+4)/3; b: mean 30, variance (400+100+900)/3
    assert np.allclose(data.X[:, 0], np.array([-2, 0, 2]) / np.sqrt(8 / 3))
    assert np.allclose(data.X[:, 1], np.array([-20, -10, 30]) / np.sqrt(1400 / 3))
    assert data.X[:, 2].tolist() == [0, 0, 0]
    assert data.features == ("a (standardised)", "b (standardised)", "c (standardised)")
    assert (scaling.shift, scaling.factor[2]) == ((3, 30, 5), 1)
    assert data.y.tolist() == TABLE.y.tolist()


def test_min_max_by_hand():
    assert scaled(TABLE, "0 to 1")[0].X.tolist() == [[0, 0, 0], [0.5, 0.2, 0], [1, 1, 0]]


def test_the_scale_of_a_document_is_always_seen_from_the_given_data():
    document = Document(TABLE, "first")
    twice = document.with_scale("standardised").with_scale("0 to 1")
    assert np.allclose(twice.data.X, scaled(TABLE, "0 to 1")[0].X)
    back = twice.with_scale("given")
    assert back.data.features == TABLE.features
    assert np.allclose(back.data.X, TABLE.X)
    assert back.scaling == Scaling()


def test_what_is_held_out_does_not_set_the_scale_by_hand():
    """Without the last row a has the mean 2 and the deviation 1, b 15 and 5; on that scale the row is 3, 9 and 0."""
    document = Document(TABLE, "first").with_scale("standardised")
    rest, out = split(document.data, np.array([2]))
    assert np.allclose(rest.X, [[-1, -1, 0], [1, 1, 0]])
    assert np.allclose(out, [[3, 9, 0]])
    assert (rest.y.tolist(), rest.classes, rest.features) == ([0, 1], TABLE.classes, document.data.features)
    rest, out = split(scaled(TABLE, "0 to 1")[0], np.array([2]))
    assert np.allclose(rest.X, [[0, 0, 0], [1, 1, 0]])
    assert np.allclose(out, [[2, 5, 0]])
    rest, out = split(TABLE, np.array([0]))
    assert (rest.X.tolist(), out.tolist()) == (TABLE.X[1:].tolist(), TABLE.X[:1].tolist())


@pytest.mark.parametrize("kind", SCALES)
def test_the_points_of_a_document_know_their_scale_wherever_they_go(kind):
    data = Document(TABLE, "first").with_scale(kind).data
    others = (data.rows([0, 1]), data.with_rows(data.X, None), data.renamed("b"), pickle.loads(pickle.dumps(data)))
    assert {other.scale for other in others} == {data.scale} == {kind}


@pytest.mark.parametrize("kind", SCALES)
def test_to_scale_a_part_anew_is_to_scale_the_given_rows(kind):
    table = np.random.default_rng(1).normal(3.0, [1.0, 100.0, 0.01], (20, 3))
    rest, out = split(scaled(Points(table), kind)[0], np.arange(5))
    again, own = scaled(Points(table[5:]), kind)
    assert np.abs(rest.X - again.X).max() < 1e-12
    assert np.abs(out - own.applied(table[:5])).max() < 1e-12


def test_equal_numbers_are_moved_to_0_whatever_their_mean_is_rounded_to():
    data, scaling = scaled(Points(np.full((3, 1), 0.1)), "standardised")
    assert scaling.factor == (1.0,)
    assert np.abs(data.X).max() < 1e-15


def test_an_edit_keeps_the_scale_and_other_data_does_not():
    document = Document(TABLE, "first").with_scale("0 to 1")
    edited = document.with_data(Points(document.data.X + 1, features=document.data.features))
    assert edited.scaling == document.scaling
    assert (document.data.scale, edited.data.scale, document.with_data(TABLE).data.scale) == ("0 to 1",) * 2 + (
        "given",
    )
    assert np.allclose(edited.with_scale("given").data.X, [[5, 60, 6], [7, 70, 6], [9, 110, 6]])
    assert document.with_data(TABLE).scaling == Scaling()


def test_the_scale_comes_back_with_points_that_were_put_aside(tmp_path):
    """On the shelf they lie as given, so that neither the given numbers nor the rule for held-out points is lost."""
    before = Document(TABLE, "k_means").with_scale("standardised")
    aside = before.with_algorithm("shortest_paths", example_of)
    assert np.allclose(aside.shelf[0].X, TABLE.X)
    assert aside.shelf[0].features == TABLE.features
    files.save(tmp_path / "aside.mlviz", aside)
    for document in (aside, files.load(tmp_path / "aside.mlviz").document):
        back = document.with_algorithm("k_means", example_of)
        assert (back.scaling.kind, back.data.scale, back.data.features) == (*["standardised"] * 2, before.data.features)
        assert np.allclose(back.data.X, before.data.X)
        assert np.allclose(back.with_scale("given").data.X, TABLE.X)


def test_numbers_that_are_too_large_are_refused():
    with pytest.raises(DataError, match="too large to be put on another scale"):
        scaled(Points([[-1.7e308], [1.7e308]]), "0 to 1")


@given(X=arrays(np.float64, (5, 2), elements=st.floats(-1e9, 1e9)), kind=st.sampled_from(SCALES))
def test_there_is_a_way_back(X, kind):
    data, scaling = scaled(Points(X), kind)
    assert np.allclose(scaling.undone(data).X, X, rtol=1e-9, atol=1e-6)


def test_a_session_keeps_the_scale(tmp_path):
    document = Document(TABLE, "first").with_scale("standardised")
    files.save(tmp_path / "a.mlviz", document)
    loaded = files.load(tmp_path / "a.mlviz")
    assert loaded.document.scaling == document.scaling
    assert (loaded.document.data.scale, loaded.document.data.features) == ("standardised", document.data.features)
    assert "scale" not in document.data.facts()  # the document says it, once
    assert loaded.document.with_scale("given").data.scale == "given"
    assert loaded.notices == []


@pytest.mark.parametrize(
    "wrong", [3, {"kind": "log"}, {"kind": "0 to 1", "shift": [1], "factor": [1]}, {"kind": "0 to 1"}, []]
)
def test_a_wrong_scale_in_a_file_leaves_a_notice(tmp_path, wrong):
    path = tmp_path / "a.mlviz"
    files.save(path, Document(TABLE, "first"))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    raw = json.loads(members["session.json"]) | {"scaling": wrong}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("session.json", json.dumps(raw))
        archive.writestr("data.npz", members["data.npz"])
    loaded = files.load(path)
    assert loaded.document.scaling == Scaling()
    assert len(loaded.notices) == 1


def test_codes_of_categories_and_the_shape_of_pictures_are_kept():
    coded = Points([[1.0, 0.0], [3.0, 1.0], [5.0, 2.0]], features=("a", "b"), categories={1: ("x", "y", "z")})
    pictures = Points(np.arange(12.0).reshape(3, 4), image_shape=(2, 2))
    for kind in SCALES[1:]:
        data, scaling = scaled(coded, kind)
        assert data.X[:, 1].tolist() == [0.0, 1.0, 2.0]
        assert data.categories == coded.categories
        assert data.features == (f"a ({kind})", "b")
        again = scaling.undone(data)
        assert np.allclose(again.X, coded.X)
        assert again.features == coded.features
        assert scaled(pictures, kind)[0].image_shape == (2, 2)
