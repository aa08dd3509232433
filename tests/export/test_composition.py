"""Where the views of a figure stand: places that have a form to look at, and never more of them than there is room."""

import pytest

from algorithms import find
from algorithms.contract import Panel
from mlviz.data.spec import load_data
from mlviz.export.frames import recorded
from mlviz.export.render import Style, document_of
from mlviz.session.layout import Layout
from mlviz.views.canvas import Canvas
from mlviz.views.composition import Composition, Page, ViewOrder, board_mode, large_fraction

SCREEN = Page((1200, 800), 10.0, words=True, judged=False)
SMALLER = Page((800, 600), 10.0, words=True, judged=False)
COLUMN = Page((321, 260), 7.0, words=False, judged=False)


PANELS = (Panel("network", "Network", "none"), Panel("plane", "Data plane", "data"), Panel("loss", "Loss"))


def test_the_first_panel_is_large_until_another_view_is_chosen_or_the_data_are_shared():
    assert ViewOrder(PANELS).large == "network"
    assert ViewOrder(PANELS, chosen="loss").large == "loss"
    assert ViewOrder(PANELS, chosen="curves").large == "curves"
    assert ViewOrder(PANELS, chosen="evaluation").large == "network"  # there is none
    assert ViewOrder(PANELS, evaluated=True, chosen="evaluation").large == "evaluation"
    assert ViewOrder(PANELS, shared=True).large == "plane"
    assert ViewOrder(PANELS[::2], shared=True).large == "network"
    assert ViewOrder(PANELS, shared=True, chosen="loss").large == "loss"


def test_the_others_follow_as_the_method_lists_them_with_the_curves_last():
    order = ViewOrder(PANELS, evaluated=True, chosen="loss")
    assert order.keys == ("network", "plane", "loss", "evaluation", "curves")
    assert order.before("evaluation") == ("network", "plane", "loss")


def test_data_below_have_more_room_in_the_window_and_on_paper():
    assert ViewOrder(PANELS).fraction < ViewOrder(PANELS, chosen="plane").fraction
    assert SCREEN.compose(3, ViewOrder(PANELS).fraction) == Composition(0, 3, 11, 9)
    assert board_mode((800, 600), 10.0, compact=False) == "rest"
    assert board_mode((800, 400), 10.0, compact=False) == "side"
    assert board_mode((800, 400), 10.0, compact=True) == "low"
    assert large_fraction("low", 0.7) == pytest.approx(0.58)


@pytest.mark.parametrize("chosen", ["curves", "evaluation", "network"])
def test_a_page_has_the_view_large_that_the_window_has(qtbot, chosen):
    method = find("mlp")
    engine = recorded(method, load_data("moons(n=30)"), method.make_params({"epochs": 3}), 0)
    layout = Layout(large={"mlp": chosen})
    figure = Style(size=(1000, 800), layout=layout).figure(document_of(engine), engine)
    try:
        figure.set_frame(engine.timeline.frame(2))
        views = {view.panel.key: view for view in figure._views} | {"curves": figure.curves}
        if figure.evaluation is not None:
            views["evaluation"] = figure.evaluation
        areas = {key: view.width() * view.height() for key, view in views.items() if view.isVisible()}
        assert max(areas, key=areas.get) == chosen
        assert {"plane", "curves"} <= areas.keys()
    finally:
        figure.dispose()


def test_a_few_stand_in_a_row_below():
    assert SCREEN.compose(1) == Composition(0, 1, 7, 3)
    assert SCREEN.compose(4) == Composition(0, 4, 7, 3)
    assert SMALLER.compose(3) == Composition(0, 3, 7, 3)


def test_more_stand_around_the_corner_of_the_large_one():
    assert SCREEN.compose(5) == Composition(2, 3, 2, 1)
    assert SCREEN.compose(6) == Composition(3, 3, 3, 1)
    assert SCREEN.compose(7) == Composition(3, 4, 3, 1)


def test_a_smaller_page_has_fewer_of_them():
    assert SMALLER.compose(7) == Composition(2, 3, 2, 1)
    assert COLUMN.compose(7) == Composition(0, 2, 7, 3)
    assert Page((200, 100), 10.0, words=True, judged=False).compose(7).count == 0


def test_the_evaluation_takes_room_from_them():
    assert Page((1200, 800), 10.0, words=True, judged=True).compose(7) == Composition(2, 3, 2, 1)


@pytest.mark.parametrize("wanted", range(20))
def test_never_more_than_wanted_and_every_large_view_is_larger(wanted):
    for page in (SCREEN, SMALLER, COLUMN, Page((3000, 2000), 10.0, words=True, judged=True)):
        places = page.compose(wanted)
        assert places.count <= wanted
        assert min(places.beside, places.below) >= 0
        assert places.large > places.small


def test_no_view_is_a_strip_and_none_lies_on_another(qtbot):
    method = find("mlp")
    engine = recorded(method, load_data("moons(n=30)"), method.make_params({"epochs": 3}), 0)
    figure = Style(size=(800, 600)).figure(document_of(engine), engine)
    try:
        views = [view for view in (*figure.findChildren(Canvas), figure.curves) if view.isVisible()]
        places = [view.geometry() for view in views]
        assert len(places) == 6
        assert all(0.4 < place.height() / place.width() < 1.6 for place in places)
        assert all(figure.rect().contains(place) for place in places)
        assert not any(one.intersects(other) for i, one in enumerate(places) for other in places[:i])
        large = places[0]
        assert all(2 * place.width() <= large.width() + 16 for place in places[1:])
    finally:
        figure.dispose()
