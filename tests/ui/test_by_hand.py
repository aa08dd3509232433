"""What was set by hand on some data goes with these data; a seed that changes nothing says so."""

import numpy as np
import pytest

from algorithms.data import Points
from mlviz.data.spec import parse_spec
from mlviz.session.document import Document
from mlviz.ui.seed_words import SAME, SAME_HERE

PLACES = ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0))
BY_HAND = {"init": "by hand", "centres": PLACES}


@pytest.fixture
def by_hand(make_window):
    window = make_window("k_means")
    window.apply(window.document.with_params(**BY_HAND), "drag")
    return window


def has_places(document):
    return (document.params["init"], document.params["centres"]) == ("by hand", PLACES)


def test_centres_put_by_hand_stay_while_the_data_are_edited(by_hand):
    data = by_hand.document.data
    by_hand.apply(by_hand.document.with_data(data.rows(np.arange(50))), "erase")
    assert has_places(by_hand.document)


def test_they_go_with_a_blank_board(by_hand):
    by_hand.actions_table["new"].trigger()
    assert (by_hand.document.params["init"], by_hand.document.params["centres"]) == ("k-means++", ())
    by_hand.undo()
    assert has_places(by_hand.document)


def test_they_go_with_other_data_and_another_scale_also_where_they_are_only_remembered(by_hand):
    by_hand.choose_algorithm("gaussian_mixture")
    assert by_hand.document.memory["k_means"]["centres"] == PLACES
    by_hand.choose_data(parse_spec("moons(n=50,seed=1)"))
    assert "k_means" not in by_hand.document.memory
    document = Document(Points([[0.0, 5.0], [1.0, 9.0]]), "k_means", {"k": 2} | BY_HAND)
    assert document.with_scale("0 to 1").params["init"] == "k-means++"
    assert document.with_scale(document.scaling.kind).params["centres"] == PLACES


def test_a_seed_that_changes_nothing_says_so(make_window, qtbot):
    window = make_window("pca")
    qtbot.waitUntil(lambda: not window.player.running)
    window.set_seed(7)
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == SAME)
    window.comparing.with_seed()
    qtbot.waitUntil(lambda: all(SAME_HERE in pane.header.facts.text() for pane in window.boards.panes))


def test_a_seed_that_changes_the_run_does_not(make_window, qtbot):
    window = make_window("k_means", init="random points")
    qtbot.waitUntil(lambda: not window.player.running)
    window.set_seed(7)
    qtbot.waitUntil(lambda: window._before_seed == (None, {}))
    assert window.statusBar().currentMessage() != SAME
