"""The help: formulae that can be set, words without the marks of the source, things to try that run."""

import re
import subprocess
import sys
import threading

import pytest
import ziamath
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QDialog

from algorithms import Nothing, all_algorithms, find
from algorithms._checks.cases import play
from algorithms.contract import Try
from algorithms.data.scaling import AS_GIVEN
from mlviz.data.spec import load_data
from mlviz.ui import formula, style
from mlviz.ui.formula import Formula
from mlviz.ui.help import KeyboardHelp, MethodHelp
from mlviz.ui.help_text import idea, typographic
from mlviz.ui.trying import trying
from mlviz.views.theme import THEMES

EVERY = pytest.mark.parametrize("method", all_algorithms(), ids=lambda method: method.key)
ARTEFACT = re.compile(r"``|:\w+:`|\*\w+\*|(?<![\d.,])00\d\b|\.py\b")


@EVERY
def test_everything_to_try_runs(method):
    for item in method.tries:
        data = load_data(item.data or method.example) if method.accepts else Nothing()
        frames, _ = play(method, data, method.make_params(item.params), limit=3)
        assert len(frames) >= 2, item.text


@EVERY
def test_the_page_has_all_sections_and_none_of_the_marks_of_the_source(method, qtbot):
    page = MethodHelp(method)
    qtbot.addWidget(page)
    words = page.texts()
    for heading in ("Idea", "Steps", "Knobs", "What to try", "Reference"):
        assert heading in words.split("\n")
    formulas = page.findChildren(Formula)
    assert [each.latex for each in formulas] == list(method.formulas)
    for each in formulas:
        drawn = each._renderer()
        assert drawn.isValid(), each.latex
        assert drawn.viewBoxF().width() > 0
    assert len(page.try_buttons) == len(method.tries)
    assert not ARTEFACT.search(words), ARTEFACT.search(words)
    assert all(paragraph[-1] in ".?" for paragraph in idea(method))
    assert not idea(method)[0].startswith(f"{method.title}: ")


def test_indices_and_powers_are_where_they_belong():
    assert typographic("r_ik <= |x_{i-1}|^2 in ``tol``, m_G *only*") == "rᵢₖ ≤ |xᵢ₋₁|² in tol, m_G only"


def test_what_to_try_opens_its_data_and_parameters_and_plays(window, qtbot):
    window.set_param("k", 5)
    window.show_help()
    page = next(child for child in window.children() if isinstance(child, MethodHelp))
    item = find("k_means").tries[1]
    before = window.document
    qtbot.mouseClick(page.try_buttons[1], Qt.MouseButton.LeftButton)
    assert window.document.source == item.data.replace(" ", "")
    assert window.document.params["k"] == item.params["k"]
    assert window.document.params["init"] == find("k_means").params().init
    assert window.player.playing
    qtbot.waitUntil(lambda: window.player.position > 0)
    assert not any(isinstance(child, MethodHelp) and child.isVisible() for child in window.children())
    window.undo()
    assert window.document is before


def test_a_link_below_the_steps_shows_the_same_data_with_another_method(make_window, qtbot):
    window = make_window("hull_margin", load_data("separable(n=40,seed=1)"))
    links = window.what_happens.related
    assert links.isVisible()
    assert "Support vector machine" in links.text()
    data = window.document.data
    links.linkActivated.emit("0")
    assert (window.document.algorithm, window.document.data) == ("kernel_svm", data)
    assert window.document.params["kernel"] == "linear"
    assert window.document.params["C"] == 1e5
    links.linkActivated.emit("0")  # and back
    assert window.document.algorithm == "hull_margin"
    window.choose_algorithm("k_means")
    assert not links.isVisible()


def test_a_related_method_opens_on_the_same_data_and_undo_leads_back(window, qtbot):
    before = window.document
    page = MethodHelp(find("hull_margin"))
    qtbot.addWidget(page)
    page.tried.connect(window.open_try)
    qtbot.mouseClick(page.related_buttons[0], Qt.MouseButton.LeftButton)
    assert window.document.algorithm == "kernel_svm"
    assert window.document.params["kernel"] == "linear"
    assert window.document.data is before.data
    window.undo()
    assert window.document is before


def test_what_to_try_of_a_method_without_data(make_window):
    window = make_window("majority_vote", data=Nothing())
    window.open_try(find("majority_vote").tries[0])
    assert window.document.params["m"] == 301


def test_scaled_data_are_left_behind(window):
    standardised = window.document.with_scale("standardise")
    tried = trying(standardised, standardised.method, Try("Once more.", "blobs(n=30,seed=1)"))
    assert tried.scaling == AS_GIVEN
    assert abs(tried.points.X.mean()) > 1e-6


def test_a_formula_has_the_colour_of_the_text_and_shrinks_to_its_line(qtbot):
    shown = Formula(find("kernel_svm").formulas[1])
    qtbot.addWidget(shown)
    for theme in THEMES.values():
        style.apply(QApplication.instance(), theme)
        shown.resize(shown.sizeHint())
        picture = shown.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        seen = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
        assert theme.text in seen
    width = shown.sizeHint().width()
    assert shown.heightForWidth(width // 2) == pytest.approx(shown.sizeHint().height() / 2, abs=1)


def test_a_page_opens_at_once_and_a_thread_sets_its_formulae(window, qtbot, monkeypatch):
    """They would take up to half a second; a page that is opened again has them."""
    threads, press = [], threading.Event()

    def set_in_a_thread(latex):
        threads.append(threading.current_thread())
        assert press.wait(20)
        return typeset(latex)

    typeset = formula._typeset
    monkeypatch.setattr(formula, "_typeset", set_in_a_thread)
    monkeypatch.setattr(formula, "_set", {})
    window.show_help()
    page = window.findChild(MethodHelp)
    shown = page.findChildren(Formula)
    assert page.isVisible()
    QApplication.processEvents()
    before = [each.sizeHint() for each in shown]
    assert not any(each.show_set() for each in shown)
    press.set()
    qtbot.waitUntil(lambda: not page._timer.isActive())
    assert all(each.show_set() for each in shown)
    assert [each.sizeHint() for each in shown] != before
    assert threading.main_thread() not in threads
    page.close()
    again = MethodHelp(window.document.method)
    qtbot.addWidget(again)
    assert all(each.show_set() for each in again.findChildren(Formula))
    assert len(threads) == len(shown)


def test_a_formula_is_set_once_for_all_colours_and_drawn_from_one_drawing(qtbot, monkeypatch):
    made = []
    renderer = formula.QSvgRenderer
    monkeypatch.setattr(formula, "QSvgRenderer", lambda outlines: (made.append(1), renderer(outlines))[1])
    page = MethodHelp(find("k_means"))
    qtbot.addWidget(page)
    qtbot.waitUntil(lambda: not page._timer.isActive())
    page.show()
    page.grab()
    assert len(made) <= 2 * len(find("k_means").formulas)  # in the colour before the page is dressed, and in its own


def test_the_keyboard_page(window, qtbot):
    page = KeyboardHelp(window.actions_table.specs)
    qtbot.addWidget(page)
    assert "Ctrl+K" in page.browser.toPlainText()


def test_formulae_are_set_only_when_help_opens():
    code = "import sys, mlviz.app; print('ziamath' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_page_that_is_still_open_tries_its_own_method(window):
    window.choose_algorithm("isomap")
    method = window.document.method
    window.show_help()
    page = window.findChild(MethodHelp)
    window.choose_algorithm("majority_vote")
    page.try_buttons[0].click()
    page.close()
    assert window.document.method is method


def test_pages_that_are_closed_are_gone(window, qtbot):
    for show in (window.show_help, window.show_keys):
        show()
        page = window.findChild(QDialog, "help_dialog")
        page.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert window.findChild(QDialog, "help_dialog") is None


@pytest.mark.parametrize("method", all_algorithms(), ids=lambda method: method.key)
def test_no_formula_is_taller_than_its_lines(method):
    """A bracket that grows with a sum is drawn two thousand pixels high by ziamath; one of a fixed size is not."""
    heights = {formula: ziamath.Latex(formula, size=18).getsize()[1] for formula in method.formulas}
    assert {formula: height for formula, height in heights.items() if height > 90} == {}
