"""Data that take long are made in a thread while the window lives, and only the latest that are still wanted count."""

from __future__ import annotations

import functools
import threading
from dataclasses import replace

import numpy as np
import pytest

from algorithms import all_algorithms
from algorithms.data import magnitude
from mlviz.data.generators import declare, find_generator
from mlviz.data.spec import Recipe, parse_spec
from mlviz.session.document import Document
from mlviz.session.files import save
from mlviz.session.projection import Projection

LONG = Recipe("masks", {"n": 40})


@pytest.fixture
def threads(monkeypatch):
    """Forty masks take long; says in which thread they were made, and lets them be made when ``threads.go`` is set."""

    class Threads(list):
        go = threading.Event()

    seen = Threads()
    seen.go.set()
    masks = find_generator("masks")

    @functools.wraps(masks.make)
    def make(rng, **values):
        seen.append(threading.current_thread().name)
        assert seen.go.wait(20)
        return masks.make(rng, **values)

    monkeypatch.setitem(declare._GENERATORS, "masks", replace(masks, make=make, quick=30))
    return seen


def test_how_long_a_recipe_takes_is_said_by_its_amounts():
    assert not Recipe("masks", {}).takes_long
    assert Recipe("masks", {"n": 2001}).takes_long
    assert not Recipe("blobs", {"n": 100_000}).takes_long
    assert Recipe("blobs", {"n": 100_000, "features": 50}).takes_long
    assert Recipe("casino", {"n": 10_000, "series": 10}).takes_long
    assert not Recipe("iris", {}).takes_long


def test_nobody_waits_for_what_a_method_brings_or_offers():
    for method in all_algorithms():
        for spec in (method.example, *(item.data for item in method.tries)):
            assert not (spec and parse_spec(spec).takes_long), (method.key, spec)


def test_data_that_take_long_are_made_in_another_thread(window, qtbot, threads):
    before = window.document
    window.choose_data(LONG)
    assert window.document is before
    assert window.statusBar().currentMessage() == f"Making {LONG} …"
    qtbot.waitUntil(lambda: window.document.data.n == 40)
    assert threads == ["mlviz-data"]
    assert window.document.source == str(LONG)
    assert window.statusBar().currentMessage() == ""
    assert not window.data_panel.reset_button.isEnabled()
    window.undo()
    window.redo()
    assert len(threads) == 1  # as they came they are still known
    assert window.document.data is window.given


def test_what_the_thread_knows_about_the_data_the_window_does_not_work_out(window, qtbot, threads, monkeypatch):
    worked_out = []

    def noted(name, work, *asked):
        if len(asked[-1]) == 40:  # and not the corners of a view, or other data
            worked_out.append((name, threading.current_thread().name))
        return work(*asked)

    monkeypatch.setattr(magnitude, "_ranges", functools.partial(noted, "ranges", magnitude._ranges))
    project = Projection.project
    monkeypatch.setattr(Projection, "project", lambda own, at: noted("project", project, own, at))
    window.choose_data(LONG)
    qtbot.waitUntil(lambda: window.document.data.n == 40 and window.board.up_to_date)
    assert worked_out == [("ranges", "mlviz-data"), ("project", "mlviz-data")]
    data, projection = window.document.points, window.document.projection
    seen = projection.points(data)
    assert seen is window.board.views["plane"].scene_info.at
    assert np.array_equal(seen, projection.project(data.X.copy()))


def test_only_the_latest_data_that_are_still_wanted_come(window, qtbot, threads):
    threads.go.clear()
    window.choose_data(LONG)
    window.choose_algorithm("logistic_regression")  # on the same data
    assert window.maker.recipe == LONG
    other = Recipe("masks", {"n": 41})
    window.set_recipe(other, "n")
    threads.go.set()
    qtbot.waitUntil(lambda: window.document.data.n == 41)
    assert window.document.algorithm == "logistic_regression"
    threads.go.clear()
    window.choose_data(LONG)
    window.undo()  # whoever goes back to other data wants those
    assert window.maker.recipe is None
    window.choose_data(LONG)
    window.stop_computing()
    assert window.maker.recipe is None
    assert "not made any more" in window.statusBar().currentMessage()
    window.choose_data(LONG)
    window.choose_data(Recipe("moons", {"n": 30}))
    threads.go.set()
    assert window.maker.recipe is None
    assert window.document.data.n == 30


def test_data_that_cannot_be_made_say_why(window, qtbot, threads):
    before = window.document
    window.choose_data(Recipe("masks", {"n": 10**7}))
    qtbot.waitUntil(lambda: window.maker.recipe is None)
    assert "100000" in window.statusBar().currentMessage().replace(",", "")
    assert window.document is before


def test_a_session_opens_at_once_and_then_says_whether_its_data_were_edited(window, qtbot, threads, tmp_path):
    data = LONG.make().with_rows(LONG.make().X[:-1], LONG.make().y[:-1])
    save(tmp_path / "a.mlviz", Document(data, "k_means").with_source(str(LONG)))
    threads.clear()
    threads.go.clear()
    window.files.open_path(tmp_path / "a.mlviz")
    assert window.document.data.n == 39
    assert not window.data_panel.reset_button.isEnabled()
    threads.go.set()
    qtbot.waitUntil(window.data_panel.reset_button.isEnabled)
    assert threads == ["mlviz-data"]
    assert window.actions_table["reset"].isEnabled()
    window.reset_data()
    assert window.document.data.n == 40


def test_data_to_which_one_cannot_go_back_are_not_kept(window):
    for n in (30, 31):
        window.choose_data(Recipe("moons", {"n": n}))
    window.undo()
    for n in (20, 21):
        window.choose_data(Recipe("circles", {"n": n}))
    assert str(Recipe("moons", {"n": 31})) not in window._made
    assert str(Recipe("moons", {"n": 30})) in window._made


def test_the_example_of_a_method_is_made_once(make_window, monkeypatch):
    made = []
    real = Recipe.make
    monkeypatch.setattr(Recipe, "make", lambda recipe: made.append(str(recipe)) or real(recipe))
    window = make_window()
    window.choose_algorithm("graph_kernel")
    assert made == ["friend_graphs()"]
    assert window.given is window.document.data
