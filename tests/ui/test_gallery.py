"""The gallery: families, search, and choosing by mouse and by keys."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem

from algorithms import all_algorithms
from algorithms.contract import Algorithm, Stop
from mlviz.ui.gallery import SOFT_HYPHEN, Gallery
from tests.telling import AS_SHOWN

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
"""What the offscreen platform says about windows it only pretends to have."""


@dataclass(frozen=True, slots=True)
class Params:
    pass


def run(data, params, rng, start=None):
    return Stop.COMPLETE
    yield


def method(key: str, title: str, family: str, summary: str) -> Algorithm:
    return Algorithm(key, title, family, summary, Params, run, (), (), (), "", **AS_SHOWN)


METHODS = (
    method("kernel_svm", "kernel SVM", "classification", "The widest street between two classes."),
    method("knn", "nearest neighbours", "classification", "The neighbours vote, unlike a mixture."),
    method("gaussian_mixture", "Gaussian mixture", "clustering", "Soft ellipses."),
    method("k_means", "k-means", "clustering", "Each centre moves to the mean of its points."),
)


@pytest.fixture
def gallery(qtbot):
    widget = Gallery()
    qtbot.addWidget(widget)
    widget.add_algorithms(METHODS)
    widget.set_current("k_means")
    widget.show()
    return widget


def visible(gallery: Gallery) -> dict[str, list[str]]:
    tree = gallery.tree
    if tree.isHidden():
        return {}
    result = {}
    for at in range(tree.topLevelItemCount()):
        branch = tree.topLevelItem(at)
        if not branch.isHidden():
            leaves = (branch.child(row) for row in range(branch.childCount()))
            result[branch.text(0)] = [leaf.text(0) for leaf in leaves if not leaf.isHidden()]
    return result


def test_families_are_capitalised_and_hold_their_methods(gallery):
    assert visible(gallery) == {
        "Classification": ["kernel SVM", "nearest neighbours"],
        "Clustering": ["Gaussian mixture", "k-means"],
    }
    assert gallery.tree.currentItem().text(0) == "k-means"
    assert "mean of its points" in gallery.tree.currentItem().toolTip(0)


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("SVM", ["kernel SVM"]),
        ("k_means", ["k-means"]),
        ("clustering", ["Gaussian mixture", "k-means"]),
        ("street", ["kernel SVM"]),
        ("two widest", ["kernel SVM"]),
        ("", ["kernel SVM", "nearest neighbours", "Gaussian mixture", "k-means"]),
    ],
)
def test_typing_filters_by_title_key_family_and_summary(qtbot, gallery, typed, left):
    qtbot.keyClicks(gallery.search, typed)
    assert [title for titles in visible(gallery).values() for title in titles] == left
    assert gallery.nothing.isHidden()


def test_enter_chooses_the_best_match_and_titles_beat_summaries(qtbot, gallery):
    qtbot.keyClicks(gallery.search, "mixture")
    with qtbot.waitSignal(gallery.chosen) as signal:
        qtbot.keyClick(gallery.search, Qt.Key.Key_Return)
    assert signal.args == ["gaussian_mixture"]


def test_arrow_keys_in_the_search_line_move_in_the_tree(qtbot, gallery):
    qtbot.keyClicks(gallery.search, "class")
    qtbot.keyClick(gallery.search, Qt.Key.Key_Down)
    with qtbot.waitSignal(gallery.chosen) as signal:
        qtbot.keyClick(gallery.search, Qt.Key.Key_Return)
    assert signal.args == ["knn"]


def test_no_match_is_said_and_enter_does_nothing(qtbot, gallery):
    heard: list[str] = []
    gallery.chosen.connect(heard.append)
    qtbot.keyClicks(gallery.search, "zebra")
    assert visible(gallery) == {}
    assert gallery.nothing.isVisible()
    assert gallery.nothing.text() == "No method matches “zebra”."
    qtbot.keyClick(gallery.search, Qt.Key.Key_Return)
    assert heard == []
    qtbot.keyClick(gallery.search, Qt.Key.Key_Escape)
    assert len(visible(gallery)) == 2
    assert gallery.tree.currentItem().text(0) == "k-means"


def test_a_click_chooses_once_and_a_family_only_folds(qtbot, gallery):
    heard: list[str] = []
    gallery.chosen.connect(heard.append)
    branch = gallery.tree.topLevelItem(0)
    leaf = branch.child(1)
    place = gallery.tree.visualItemRect(leaf).center()
    qtbot.mouseClick(gallery.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert heard == ["knn"]
    place = gallery.tree.visualItemRect(branch).center()
    qtbot.mouseClick(gallery.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert heard == ["knn"]
    assert not branch.isExpanded()


def test_set_current_is_silent(gallery):
    heard: list[str] = []
    gallery.chosen.connect(heard.append)
    gallery.set_current("kernel_svm")
    assert gallery.tree.currentItem().text(0) == "kernel SVM"
    assert heard == []


def test_titles_grow_with_the_font(qtbot, gallery):
    """The bold of the current method must not nail its size down: presenting makes every letter larger."""
    before = gallery.tree.visualItemRect(gallery.tree.currentItem()).height()
    font = gallery.tree.font()
    font.setPointSizeF(24)
    gallery.tree.setFont(font)
    qtbot.waitUntil(lambda: gallery.tree.visualItemRect(gallery.tree.currentItem()).height() > before)
    bold = gallery.tree.currentItem().font(0)
    assert bold.bold()
    assert bold.resolve(font).pointSizeF() == 24


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("width", [0, 140, 300])
def test_no_title_is_elided(make_window, qtbot, chosen, width):
    window = make_window()
    tree = window.gallery.tree
    if width:
        window.resizeDocks([window.docks[0]], [width], Qt.Orientation.Horizontal)
        qtbot.waitUntil(lambda: window.gallery.width() == width)
    families = [tree.topLevelItem(number) for number in range(tree.topLevelItemCount())]
    items = [family.child(number) for family in families for number in range(family.childCount())]
    keys = {method.title: method.key for method in all_algorithms()}
    assert sorted(item.text(0) for item in items) == sorted(keys)
    tree.executeDelayedItemsLayout()
    for item in items:
        if chosen:
            window.gallery.set_current(keys[item.text(0)])  # in bold
            tree.executeDelayedItemsLayout()
        rect, option = tree.visualItemRect(item), QStyleOptionViewItem()
        tree.initViewItemOption(option)
        tree.itemDelegate().initStyleOption(option, tree.indexFromItem(item))
        option.rect = rect
        room = tree.style().subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, tree)
        broken = room.adjusted(3, 0, -3, 999)
        lines = QFontMetrics(option.font).boundingRect(broken, Qt.TextFlag.TextWordWrap, option.text)
        assert option.features & QStyleOptionViewItem.ViewItemFeature.WrapText
        assert option.text.replace(SOFT_HYPHEN, "") == item.text(0)
        assert lines.width() <= room.width(), item.text(0)
        assert lines.height() <= room.height() + 2, item.text(0)


def test_the_method_that_is_shown_is_whole_in_the_list(make_window):
    window = make_window()
    tree = window.gallery.tree
    for method in all_algorithms():
        window.gallery.set_current(method.key)
        tree.executeDelayedItemsLayout()
        assert tree.currentItem().text(0) == method.title
        seen = tree.viewport().rect().adjusted(0, 0, 0, 1)  # Qt scrolls to within a pixel
        assert seen.contains(tree.visualItemRect(tree.currentItem())), method.title


def test_words_keep_their_letters_where_there_is_no_room_at_all(gallery, monkeypatch):
    delegate = gallery.tree.itemDelegate()
    monkeypatch.setattr(delegate, "_room", lambda: 1)
    branch, option = gallery.tree.topLevelItem(0), QStyleOptionViewItem()
    for number, title in enumerate(("kernel SVM", "nearest neighbours")):
        delegate.initStyleOption(option, gallery.tree.indexFromItem(branch.child(number)))
        assert option.text.replace(SOFT_HYPHEN, "") == title
