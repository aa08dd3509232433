"""Where answers differ: counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import procrustes

from algorithms import Points, find, fit
from mlviz.data.generators import generate
from mlviz.data.spec import load_data
from mlviz.session.projection import Projection
from mlviz.session.scoring import Threshold
from mlviz.worker.difference import Answerer, Differ, DifferenceRequest, difference, matched, percent, sort_of, why_not

DATA = Points([[0.5, 0.5], [1.5, 0.5], [2.5, 0.5], [3.5, 0.5]], [0, 0, 1, 1], classes=("a", "b"))
TREE = find("decision_tree")


def stands_for(predict, field=None, **changes):
    """A method that answers with a given function of the points."""
    return replace(TREE, predict=lambda model, X: predict(X), field=field and (lambda model, X: field(X)), **changes)


def split_at(place):
    return stands_for(lambda X: (X[:, 0] > place).astype(np.intp))


def ask(*methods, data=DATA, rect=(0.0, 4.0, 0.0, 2.0), size=(4, 2), thresholds=(None, None, None)):
    models = tuple(Answerer(method, None, threshold) for method, threshold in zip(methods, thresholds))
    return difference(DifferenceRequest(models, data, Projection.of(data), rect, size))


def test_two_classifiers_disagree_between_their_lines():
    found = ask(split_at(1.0), split_at(2.0))
    assert found.cells.tolist() == [[0, 1, 0, 0]] * 2
    assert found.points.tolist() == [False, True, False, False]
    assert found.words == "They disagree on 25 % of the plane shown and on 1 of 4 points."


def test_of_three_it_is_shaded_where_not_all_agree():
    found = ask(split_at(1.0), split_at(2.0), split_at(3.0))
    assert found.cells[0].tolist() == [0, 1, 1, 0]
    assert found.words.startswith("Not all agree on 50 % of the plane shown and on 2 of 4 points")


def test_where_all_agree_it_says_so():
    four = ask(*[split_at(1.0)] * 4, thresholds=(None,) * 4)
    assert four.words == "They agree on all of the plane shown and on all 4 points."


def test_one_alone_agrees_with_itself():
    """Boards come and go one by one, and a thread is asked in between."""
    found = ask(split_at(1.0))
    assert found.cells.tolist() == [[0, 0, 0, 0]] * 2
    assert found.points.tolist() == [False] * 4


def test_a_threshold_moves_the_answers():
    by_place = stands_for(lambda X: (X[:, 0] > 2.0).astype(np.intp), lambda X: X[:, 0] / 4.0)
    assert ask(by_place, split_at(2.0)).cells.sum() == 0
    found = ask(by_place, split_at(2.0), thresholds=(Threshold(0.75), None))
    assert found.cells[0].tolist() == [0, 0, 1, 0]
    columns = stands_for(lambda X: np.zeros(len(X), dtype=np.intp), lambda X: np.column_stack([X[:, 0], -X[:, 0]]))
    assert ask(columns, split_at(3.0), thresholds=(Threshold(3.0, 0), None)).cells.sum() == 0


def test_the_numbers_of_clusters_mean_nothing():
    clustering = {"target": "none", "family": "clustering"}
    one = stands_for(lambda X: (X[:, 0] > 2.0).astype(np.intp), **clustering)
    turned = stands_for(lambda X: (X[:, 0] <= 2.0).astype(np.intp), **clustering)
    assert ask(one, turned).cells.sum() == 0
    third = stands_for(lambda X: np.minimum(X[:, 0].astype(np.intp), 2), **clustering)  # 0, 1, 2, 2
    found = ask(one, third)
    assert found.points.tolist() == [False, True, False, False]
    assert found.words.endswith("1 of 4 points, clusters matched.")


def test_clusters_are_matched_by_the_items_they_share():
    assert matched(np.array([0, 0, 1, 1, 2]), np.array([2, 2, 0, 0, 1])).tolist() == [1, 2, 0]
    assert matched(np.array([0, 0]), np.array([0, 1]), np.array([2])).tolist() == [0, 2, 3]


def test_real_answers_have_a_difference():
    data = Points([[0.5, 0.5], [1.5, 0.5]], [1.0, 2.0])
    line, flat = stands_for(lambda X: X[:, 0]), stands_for(lambda X: np.full(len(X), 1.5))
    found = ask(line, flat, data=data)
    assert (found.sort, found.flat) == ("values", False)
    assert found.cells.tolist() == [[-1.0, 0.0, 1.0, 2.0]] * 2
    assert found.words == "They differ by 1 on average and 2 at most; at the points by 0.5."
    found = ask(line, flat, flat, data=data)
    assert found.cells[0].tolist() == [1.0, 0.0, 1.0, 2.0]  # of three: the range


def test_over_one_feature_the_cells_between_the_curves_are_shaded():
    data = Points([[0.5], [1.5]], [1.0, 2.0])
    found = ask(stands_for(lambda X: X[:, 0]), stands_for(lambda X: np.full(len(X), 0.2)), data=data)
    assert found.flat
    # the cells have the heights 0.5 and 1.5, and the curve is 0.5, 1.5, 2.5, 3.5 high
    assert found.cells.tolist() == [[1, 1, 1, 1], [0, 1, 1, 1]]
    labelled = Points([[0.5], [1.5]], [0, 1], classes=("a", "b"))
    assert ask(split_at(1.0), split_at(2.0), data=labelled).cells.tolist() == [[0, 1, 0, 0]] * 2


def test_more_than_two_features_are_seen_on_a_slice():
    data = Points(np.eye(3), [0, 1, 1], classes=("a", "b"))
    assert "of the slice shown" in ask(split_at(0.1), split_at(0.2), data=data).words


def test_which_methods_answer_what():
    valued = Points([[0.0], [1.0]], [0.5, 1.5])
    assert sort_of(find("k_means"), DATA) == "clusters"
    assert sort_of(TREE, DATA) == "classes"
    assert sort_of(TREE, valued) == "values"
    assert sort_of(find("kernel_svm"), valued) == ""
    assert sort_of(find("pca"), DATA) == "maps"
    assert sort_of(find("bootstrap"), DATA) == ""
    assert why_not((TREE, find("kernel_svm")), DATA) == ""
    assert "gives no answer" in why_not((TREE, find("bootstrap")), DATA)
    blank = why_not((find("k_means"), find("k_means")), Points.blank("none"))
    assert blank == "There is nothing to compare yet: the board is blank."
    assert why_not((TREE, find("k_means")), DATA) == "There are classes on one board and clusters on another."


def test_what_a_method_raises_is_the_answer():
    def fails(X):
        raise ZeroDivisionError("no")

    assert isinstance(ask(stands_for(fails), split_at(1.0)).error, ZeroDivisionError)


@pytest.mark.parametrize(
    ("fraction", "words"), [(0.0, "0 %"), (0.0004, "less than 0.1 %"), (0.034, "3.4 %"), (0.5, "50 %"), (1.0, "100 %")]
)
def test_percent(fraction, words):
    assert percent(fraction) == words


def test_real_models_in_a_thread(qtbot):
    data = generate("moons", n=80, seed=1)
    fits = [fit("decision_tree", data.X, data.y), fit("logistic_regression", data.X, data.y)]
    models = tuple(Answerer(find(run.algorithm.key), run.model) for run in fits)
    differ = Differ()
    try:
        differ.ask(DifferenceRequest(models, data, Projection.of(data), (-1.5, 2.5, -1.0, 1.5), (64, 48), "key"))
        found = []
        qtbot.waitUntil(lambda: bool(found.append(differ.poll()) or found[-1]))
        answers = [np.asarray(model.answers(data.X)) for model in models]
        assert found[-1].points.tolist() == (answers[0] != answers[1]).tolist()
        assert 0.0 < found[-1].cells.mean() < 0.5
        assert found[-1].request.key == "key"
    finally:
        differ.close()


# -- maps -------------------------------------------------------------------------------------------------------------


def mapped(data, *settings):
    fits = [fit(key, data, **params) for key, params in settings]
    models = tuple(Answerer(one.algorithm, one.model) for one in fits)
    return fits, difference(DifferenceRequest(models, data, Projection(), (0, 1, 0, 1), (1, 1)))


def test_maps_are_laid_over_each_other():
    """Classical scaling of points is the map of principal components: Procrustes leaves nothing over."""
    data = generate("swiss_roll", n=80, noise=0, seed=1)
    fits, found = mapped(data, ("pca", {}), ("mds", {}))
    assert sort_of(fits[0].algorithm, data) == found.sort == "maps"
    assert found.maps.residuals[0] == pytest.approx(0.0, abs=1e-9)
    assert found.maps.places[1] == pytest.approx(found.maps.places[0], abs=1e-6)
    assert "leaves over 0.00% of its squared size (Procrustes)" in found.words


def test_what_is_left_over_is_what_scipy_says():
    data = generate("swiss_roll", n=120, noise=0, seed=1)
    fits, found = mapped(data, ("isomap", {}), ("lle", {}), ("mds", {"dimensions": 3}))
    one, two, three = (each.model.embedding for each in fits)
    wanted = procrustes(one, two)[2], procrustes(np.pad(one, ((0, 0), (0, 1))), three)[2]
    assert found.maps.residuals == pytest.approx(wanted)
    assert f"map 2 {wanted[0]:.2%}, map 3 {wanted[1]:.2%}" in found.words


def test_only_items_that_all_maps_have_are_compared():
    data = Points(np.concatenate([np.random.default_rng(0).normal(size=(30, 3)), np.full((4, 3), 50.0) + np.eye(4, 3)]))
    _, found = mapped(data, ("pca", {}), ("isomap", {"neighbours": 3}))
    assert found.maps.rows.tolist() == list(range(30))
    assert found.maps.places[0].shape == (30, 2)


def test_maps_of_a_table_of_distances_are_compared_too():
    data = load_data("cities")
    _, found = mapped(data, ("mds", {}), ("mds", {"kind": "metric", "begin": "classical scaling"}))
    assert found.maps.residuals[0] < 1e-3
    assert "row" in found.words


def test_a_map_that_has_not_begun_leaves_everything_over():
    data = generate("swiss_roll", n=40, seed=1)
    mds = find("mds")
    first = next(mds.start(data, mds.params(), 0)).model
    models = (Answerer(mds, fit("mds", data).model), Answerer(mds, first))
    found = difference(DifferenceRequest(models, data, Projection(), (0, 1, 0, 1), (1, 1)))
    assert found.maps.residuals == (1.0,)


def test_a_map_and_a_boundary_cannot_be_compared():
    data = generate("moons", n=40, seed=1)
    assert why_not((find("pca"), find("decision_tree")), data) == "There are maps on one board and classes on another."
