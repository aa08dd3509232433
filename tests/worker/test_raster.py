"""The rasteriser: right values in the right cells, coarse to fine, latest wins, nothing stale, no thread left."""

from __future__ import annotations

import threading
import weakref
from dataclasses import replace

import numpy as np
import pytest

from algorithms import find, fit
from algorithms.data import Points
from algorithms.interrupt import checkpoint
from mlviz.session.projection import Projection
from mlviz.session.rasters import Raster, RasterRequest, Slot
from mlviz.ui.raster_queue import RasterQueue
from mlviz.worker import raster
from mlviz.worker.raster import CHUNK, Rasteriser, evaluate

RECT = (0.0, 4.0, 10.0, 12.0)


@pytest.fixture
def linear(toys):
    """predict: whether x > 2; field: x + 100 y, times the model."""
    return toys.make(
        toys.walk.run,
        predict=lambda model, X: (X[:, 0] > 2).astype(int),
        field=lambda model, X: model * (X[:, 0] + 100 * X[:, 1]),
    )


@pytest.fixture
def plane(data):
    return Projection.of(data)


@pytest.fixture
def rasteriser():
    made = Rasteriser(nap=0.0)
    yield made
    assert made.close(10)


def final(rasteriser, until, count=1):
    """The final raster of each slot."""
    found = {}

    def done():
        found.update({raster.slot: raster for raster in rasteriser.poll()})
        return sum(raster.final for raster in found.values()) == count

    until(done)
    return found


def test_values_stand_at_the_centres_of_their_cells_with_row_0_at_the_bottom(linear, plane):
    raster = evaluate(RasterRequest(linear, 1.0, "field", plane, RECT, sizes=((4, 2),)))
    np.testing.assert_allclose(raster.x, [0.5, 1.5, 2.5, 3.5])
    np.testing.assert_allclose(raster.y, [10.5, 11.5])
    np.testing.assert_allclose(raster.values, [[1050.5, 1051.5, 1052.5, 1053.5], [1150.5, 1151.5, 1152.5, 1153.5]])
    labels = evaluate(RasterRequest(linear, 1.0, "predict", plane, RECT, sizes=((4, 2),)))
    np.testing.assert_array_equal(labels.values, [[0, 0, 1, 1], [0, 0, 1, 1]])


def test_evaluate_gives_the_finest_size_and_pieces_fit_together(linear, plane):
    raster = evaluate(RasterRequest(linear, 2.0, "field", plane, RECT, sizes=((8, 8), (300, 200)), key="k"))
    assert raster.values.shape == (200, 300)
    assert 3 * CHUNK < 300 * 200
    x, y = np.meshgrid(raster.x, raster.y)
    np.testing.assert_allclose(raster.values, 2 * (x + 100 * y))
    assert (raster.key, raster.size, raster.final) == ("k", (300, 200), True)


def test_several_columns_make_a_third_axis(toys, plane):
    algorithm = toys.make(toys.walk.run, field=lambda model, X: np.column_stack([X[:, 0], X[:, 1], X[:, 0] * 0]))
    raster = evaluate(RasterRequest(algorithm, None, "field", plane, RECT, sizes=((4, 2),)))
    assert raster.values.shape == (2, 4, 3)
    np.testing.assert_allclose(raster.values[1, 2], [2.5, 11.5, 0])


def test_the_other_features_are_held_at_their_means(toys):
    seen = []
    algorithm = toys.make(toys.walk.run, predict=lambda model, X: seen.append(X) or X[:, 0])
    plane = Projection.of(Points(np.array([[0.0, 1, 2], [2, 3, 6]])), axes=(2, 0))
    evaluate(RasterRequest(algorithm, None, "predict", plane, RECT, sizes=((2, 1),)))
    np.testing.assert_allclose(seen[0], [[11, 2, 1], [11, 2, 3]])


def test_errors_come_back_as_rasters(toys, plane, rasteriser, until):
    def broken(model, X):
        raise ZeroDivisionError("no")

    algorithm = toys.make(toys.walk.run, predict=broken, field=lambda model, X: X[:1, 0])
    raster = evaluate(RasterRequest(algorithm, None, "predict", plane, RECT))
    assert isinstance(raster.error, ZeroDivisionError)
    assert raster.values.size == 0
    assert "gave the shape (1,)" in str(evaluate(RasterRequest(algorithm, None, "field", plane, RECT)).error)
    assert "no predict" in str(evaluate(RasterRequest(toys.walk, None, "predict", plane, RECT)).error)
    rasteriser.request("regions", RasterRequest(algorithm, None, "predict", plane, RECT, key=3))
    (raster,) = final(rasteriser, until).values()
    assert (raster.key, type(raster.error)) == (3, ZeroDivisionError)
    assert not rasteriser.busy


def test_two_slots_and_coarse_before_fine(linear, plane, rasteriser, until):
    order = []
    gate = threading.Event()

    def recorded(name):
        def field(model, X):
            gate.wait(60)
            order.append((name, len(X)))
            return X[:, 0]

        return field

    for slot in ("a", "b"):
        algorithm = replace(linear, field=recorded(slot))
        rasteriser.request(slot, RasterRequest(algorithm, None, "field", plane, RECT, ((4, 4), (16, 16)), key=slot))
    gate.set()
    found = final(rasteriser, until, count=2)
    assert order == [("a", 16), ("b", 16), ("a", 256), ("b", 256)]
    assert {slot: (raster.key, raster.size) for slot, raster in found.items()} == {
        "a": ("a", (16, 16)),
        "b": ("b", (16, 16)),
    }


def test_the_coarse_raster_is_there_before_the_fine_one(linear, plane, rasteriser, until):
    gate = threading.Event()

    def field(model, X):
        if len(X) > 100:
            gate.wait(60)
        return X[:, 0]

    request = RasterRequest(replace(linear, field=field), None, "field", plane, RECT, ((4, 4), (16, 16)))
    generation = rasteriser.request("a", request)
    found = []
    until(lambda: found.extend(rasteriser.poll()) or bool(found))
    assert (found[0].size, found[0].final, found[0].generation) == ((4, 4), False, generation)
    gate.set()
    assert final(rasteriser, until)["a"].size == (16, 16)


def test_a_new_request_replaces_the_old_one_and_its_results(linear, plane, rasteriser, until):
    evaluated = []
    started, gate = threading.Event(), threading.Event()

    def field(model, X):
        started.set()
        gate.wait(60)
        evaluated.append(model)
        return np.full(len(X), float(model))

    algorithm = replace(linear, field=field)
    sizes = ((256, 256),)
    rasteriser.request("a", RasterRequest(algorithm, 1, "field", plane, RECT, sizes, key="old"))
    assert started.wait(60)
    generation = rasteriser.request("a", RasterRequest(algorithm, 2, "field", plane, RECT, sizes, key="new"))
    gate.set()
    raster = final(rasteriser, until)["a"]
    assert (raster.key, raster.generation) == ("new", generation)
    assert (raster.values == 2).all()
    # The old one was given up after the piece it was in, one of eight.
    assert evaluated.count(1) == 1
    assert rasteriser.poll() == []


def test_frames_that_come_faster_than_they_can_be_evaluated_are_still_seen(linear, plane, rasteriser, until):
    """The coarse pass of one run is finished before the next request of the same run is taken up."""
    started, gate = threading.Event(), threading.Event()

    def field(model, X):
        started.set()
        gate.wait(60)
        return np.full(len(X), float(model))

    algorithm = replace(linear, field=field)
    run = object()

    def ask(model):
        rasteriser.request("a", RasterRequest(algorithm, model, "field", plane, RECT, ((8, 8), (300, 300)), key=run))

    ask(1)
    assert started.wait(60)
    for model in range(2, 6):
        ask(model)
    seen = []
    gate.set()
    until(lambda: seen.extend(raster.values[0, 0] for raster in rasteriser.poll()) or not rasteriser.busy)
    seen.extend(raster.values[0, 0] for raster in rasteriser.poll())
    assert seen[-1] == 5
    assert set(seen) <= {1, 5}, "requests in between are skipped"


def test_a_result_nobody_has_fetched_yet_survives_the_next_request_of_the_same_run(linear, plane, rasteriser, until):
    run = object()
    rasteriser.request("a", RasterRequest(linear, 1.0, "field", plane, RECT, ((4, 4),), key=run))
    until(lambda: not rasteriser.busy)
    gate = threading.Event()
    slow = replace(linear, field=lambda model, X: gate.wait(60) and X[:, 0])
    rasteriser.request("a", RasterRequest(slow, 2.0, "field", plane, RECT, ((4, 4),), key=run))
    assert [raster.generation for raster in rasteriser.poll()] == [1]
    gate.set()


def test_the_failure_of_a_replaced_request_is_not_reported(linear, plane, rasteriser, until):
    started, gate = threading.Event(), threading.Event()

    def field(model, X):
        if model == "old":
            started.set()
            gate.wait(60)
            raise ZeroDivisionError
        return X[:, 0]

    algorithm = replace(linear, field=field)
    rasteriser.request("a", RasterRequest(algorithm, "old", "field", plane, RECT, ((4, 4),), key="old"))
    assert started.wait(60)
    rasteriser.request("a", RasterRequest(algorithm, "new", "field", plane, RECT, ((300, 300),), key="new"))
    gate.set()
    polled = []
    until(lambda: polled.extend(rasteriser.poll()) or not rasteriser.busy)
    polled.extend(rasteriser.poll())
    assert [(raster.key, raster.error) for raster in polled] == [("new", None)]


def test_a_finished_result_nobody_fetched_is_dropped_by_the_next_request(linear, plane, rasteriser, until):
    rasteriser.request("a", RasterRequest(linear, 1.0, "field", plane, RECT, ((4, 4),), key="old"))
    until(lambda: not rasteriser.busy)
    rasteriser.request("a", RasterRequest(linear, 1.0, "field", plane, RECT, ((4, 4),), key="new"))
    assert all(raster.key == "new" for raster in rasteriser.poll())
    rasteriser.drop()
    assert rasteriser.poll() == []
    assert not rasteriser.busy


def test_closing_while_it_works_ends_within_a_piece(linear, plane):
    started, gate, pieces = threading.Event(), threading.Event(), []

    def field(model, X):
        pieces.append(len(X))
        started.set()
        gate.wait(60)
        return X[:, 0]

    rasteriser = Rasteriser()
    rasteriser.request("a", RasterRequest(replace(linear, field=field), None, "field", plane, RECT, ((2000, 2000),)))
    assert started.wait(60)
    assert not rasteriser.close(timeout=0.0)
    gate.set()
    assert rasteriser.close()
    assert len(pieces) == 1
    assert not any(thread.name == "mlviz-raster" for thread in threading.enumerate())
    rasteriser.request("a", RasterRequest(linear, 1.0, "field", plane, RECT))
    assert not any(thread.name == "mlviz-raster" for thread in threading.enumerate())
    assert rasteriser.poll() == []
    assert rasteriser.close()


def test_closing_ends_a_piece_at_its_next_checkpoint(linear, plane):
    started = threading.Event()

    def field(model, X):
        while True:
            started.set()
            checkpoint()

    rasteriser = Rasteriser()
    rasteriser.request("a", RasterRequest(replace(linear, field=field), None, "field", plane, RECT, ((20, 20),)))
    assert started.wait(60)
    assert rasteriser.close(10)


def test_a_rasteriser_that_was_never_asked_has_no_thread():
    assert Rasteriser().close()


def test_a_rasteriser_at_rest_has_no_thread_and_holds_no_places(linear, plane, until, monkeypatch):
    monkeypatch.setattr(raster, "REST", 0.01)
    rasteriser = Rasteriser()
    for _ in range(2):  # and the next request starts another one
        rasteriser.request("a", RasterRequest(linear, 1.0, "field", plane, RECT, ((4, 4),)))
        until(rasteriser.poll)
        until(lambda: not any(thread.name == "mlviz-raster" for thread in threading.enumerate()))
        assert raster._remembered.cache_info().currsize == 0
    assert rasteriser.close()


def test_the_ranking_of_columns_is_that_of_sorting_them():
    values = np.random.default_rng(1).integers(0, 4, size=(7, 5, 3)).astype(float)
    winner, best, second, leads = Raster(values, (0.0, 1.0, 0.0, 1.0)).ranking
    ordered = np.sort(values, axis=2)
    np.testing.assert_array_equal(winner, values.argmax(axis=2))
    np.testing.assert_array_equal(best, ordered[:, :, 2])
    np.testing.assert_array_equal(second, ordered[:, :, 1])
    for column in range(3):
        np.testing.assert_array_equal(
            leads[column], values[:, :, column] - np.delete(values, column, axis=2).max(axis=2)
        )


def test_a_single_column_is_ahead_of_nothing():
    values = np.arange(6.0).reshape(2, 3, 1)
    winner, best, second, leads = Raster(values, (0.0, 1.0, 0.0, 1.0)).ranking
    assert not winner.any()
    assert np.isneginf(second).all()
    np.testing.assert_array_equal(best, values[:, :, 0])
    np.testing.assert_array_equal(leads[0], values[:, :, 0])


def test_the_ranking_is_made_by_the_thread_that_makes_the_values(toys, plane):
    """It takes several frames; a window that finds it already there is never held up by it."""
    several = toys.make(toys.walk.run, field=lambda model, X: np.column_stack([X, X[:, 0] - X[:, 1]]))
    assert "ranking" in vars(evaluate(RasterRequest(several, 1.0, "field", plane, RECT, sizes=((8, 8),))))


class Run:
    """A key that can be watched."""


def test_a_rasteriser_that_waits_holds_nothing(linear, plane, rasteriser, until):
    run = Run()
    known = weakref.ref(run)
    rasteriser.request("slot", RasterRequest(linear, 1.0, "field", plane, RECT, sizes=((4, 2),), key=run))
    del run
    final(rasteriser, until)
    until(lambda: known() is None, "the thread lets go of its last job")


def test_answers_of_another_method_are_forgotten(linear, plane, until):
    """Else every panel that was ever seen would keep the run in which it was seen last, with all of its frames."""
    queue, run = RasterQueue(), Run()
    known, asked = weakref.ref(run), Slot("plane", "field")
    request = RasterRequest(linear, Run(), "predict", plane, RECT, sizes=((4, 2),), key=run)
    model = weakref.ref(request.model)
    queue.ask({asked: request}, lambda _: False)
    until(lambda: queue.poll(known()) or asked in queue.arrived)
    assert queue.take(asked) is not None
    queue.forget()
    del run
    request = replace(request, key=None)
    until(lambda: known() is None, "the run is let go")
    queue.ask({asked: request}, lambda _: True)
    assert not queue.asked  # the same question about the same model is still known
    del request
    queue.ask({}, lambda _: True)
    until(lambda: model() is None, "the model is let go")
    queue.close()


@pytest.mark.filterwarnings("error")
def test_far_outside_of_the_data_there_is_no_warning():
    """Who zooms out by 2,000 notches sees a polynomial where its powers are no numbers."""
    data = Points(np.arange(8.0)[:, None] * [1.0, -2.0], np.arange(8.0) ** 2)
    model = fit("linear_regression", data, degree=4).model
    far = (-1e149, 1e149, -1e149, 1e149)
    found = evaluate(
        RasterRequest(find("linear_regression"), model, "field", Projection.of(data), far, sizes=((4, 2),))
    )
    assert found.error is None
    assert found.values.shape[:2] == (2, 4)
