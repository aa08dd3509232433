"""Which steps a handout shows, and how large a film will be."""

import math
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import find
from algorithms.contract import Snapshot
from mlviz.data.spec import load_data
from mlviz.export.films import PER_PIXEL, size_words
from mlviz.export.frames import change_by_step, evenly, sheet_steps, where_most_changes
from mlviz.export.render import Span, Style, render_film
from mlviz.worker.engine import Engine, run_to_end


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200), st.integers(1, 24))
def test_steps_are_distinct_in_order_and_have_both_ends(change, most):
    steps = where_most_changes(np.array(change), most)
    assert steps == sorted(set(steps))
    assert len(steps) == min(most, len(change))
    assert steps[0] == 0
    assert most == 1 or steps[-1] == len(change) - 1


def test_most_steps_are_where_most_changes():
    change = np.zeros(100)
    change[10:15] = 1.0
    steps = where_most_changes(change, 8)
    assert len([step for step in steps if 9 <= step <= 16]) >= 4
    assert np.abs(np.array(where_most_changes(np.zeros(50), 6)) - evenly(0, 49, 6)).max() <= 1


def test_a_run_that_is_soon_done_is_shown_where_it_moves():
    data = load_data("blobs(n=300,centres=2,noise=4,seed=1)")
    run = run_to_end(find("logistic_regression"), data, {"solver": "gradient descent"}, 0)
    steps = sheet_steps(len(run.timeline), 6, None, change_by_step(run))
    assert len(steps) == 6
    assert steps[2] < len(run.timeline) / 6  # J falls at once and then crawls
    assert sheet_steps(len(run.timeline), 6, [3, 5]) == [3, 5]


def test_a_metric_that_becomes_known_is_no_change():
    rows = [math.nan, math.nan, 9.0, 5.0, 5.0]
    run = Engine(find("k_means"), load_data("blobs(n=20,seed=1)"), {}, 0)
    for J in rows:
        run.timeline.append(Snapshot(None, "seed", None, {"J": J}, None, None, find("k_means")))
    assert change_by_step(run).tolist() == [0.0, 0.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("suffix", [".gif", ".webp", ".html", ".mp4"])
def test_the_expected_size_is_about_right(suffix, tmp_path, qapp):
    method, path = find("k_means"), tmp_path / f"a{suffix}"
    span, size = Span(0, 8, None), (600, 400)
    render_film(method, load_data(method.example), method.params(), 0, path, span=span, style=Style(size=size))
    expected = PER_PIXEL[suffix] * 9 * size[0] * size[1]
    assert 0.3 < os.path.getsize(path) / expected < 3.0


def test_a_large_film_recommends_mp4():
    assert (
        size_words(".gif", 10, (600, 400)) == "10 frames, about 0.34 MB; at most 600 frames of 10 million pixels fit."
    )
    assert (
        size_words(".gif", 200, (1200, 800))
        == "200 frames, about 27 MB; at most 600 frames of 10 million pixels fit. MP4 is recommended: about 9.6 MB."
    )
    assert size_words(".html", 600, (1200, 800)).startswith(
        "600 frames, about 100 MB; at most 600 frames of 10 million pixels fit. MP4"
    )
    assert "recommended" not in size_words(".mp4", 600, (4000, 3000))
