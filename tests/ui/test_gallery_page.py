"""The gallery as a page of cards."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPixmap
from PySide6.QtTest import QTest

from algorithms import all_algorithms, find
from algorithms.search import rank
from mlviz.data.spec import load_data
from mlviz.export import thumbnails
from mlviz.export.frames import exact_frame, recorded
from mlviz.export.presets import THUMBNAIL
from mlviz.export.render import Style, _drawing, document_of
from mlviz.ui import gallery_page
from mlviz.ui.cards import whole_words
from mlviz.ui.gallery_page import GalleryPage
from mlviz.ui.method_search import Filter, chapters, data_words
from mlviz.views.plane import PlaneView
from mlviz.views.theme import DARK, LIGHT


@pytest.fixture
def page(qtbot, monkeypatch):
    """A page that has no pictures drawn."""
    started = []
    monkeypatch.setattr(gallery_page.QProcess, "start", lambda process, *command: started.append(command))
    made = GalleryPage(all_algorithms(), LIGHT)
    qtbot.addWidget(made)
    made.started = started
    return made


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("EM", "gaussian_mixture"),
        ("gmm", "gaussian_mixture"),
        ("SVM", "kernel_svm"),
        ("CART", "decision_tree"),
        ("backpropagation", "mlp"),
        ("support vector", "kernel_svm"),
        ("k mea", "k_means"),
        ("EM algorithm", "gaussian_mixture"),
        ("k-NN", "k_nearest"),
        ("lasso", "lasso"),
        ("expectation maximization", "gaussian_mixture"),
        ("boost", "adaboost"),
        ("linear model", "linear_regression"),
        ("feature selection", "lasso"),
        ("time series", "hidden_markov"),
        ("similarity", "kernel_lab"),
    ],
)
def test_people_find_a_method_by_the_name_they_know(page, typed, key):
    page.search.setText(typed)
    assert page.model.shown[0].key == key
    chosen = []
    page.chosen.connect(chosen.append)
    QTest.keyClick(page, Qt.Key.Key_Return)
    assert chosen == [key]


@pytest.mark.parametrize(
    ("typed", "fitting"),
    [
        ("classify", lambda method: method.predict is not None and method.target in ("classes", "any")),
        ("supervised", lambda method: method.predict is not None and method.target != "none"),
        ("unsupervised", lambda method: method.family in ("clustering", "embedding")),
        ("dimensionality reduction", lambda method: method.family == "embedding"),
        ("ROC", lambda method: method.predict and method.scores and method.target in ("classes", "any")),
        ("gamma", lambda method: {"sigma", "width"} & {field.name for field in method.fields}),
        ("dropout", lambda method: method.key == "mlp"),
    ],
)
def test_people_find_methods_by_what_they_are_for_and_by_parameters(page, typed, fitting):
    page.search.setText(typed)
    assert {method.key for method in page.model.shown} == {method.key for method in all_algorithms() if fitting(method)}
    assert page.model.shown


def test_filters_narrow_the_page_and_nothing_says_so(page):
    page.family.setCurrentIndex(page.family.findData("clustering"))
    assert {method.family for method in page.model.shown} == {"clustering"}
    page.kind.setCurrentIndex(page.kind.findData("distances"))
    fitting = {method.key for method in page.model.shown}
    assert all("distances" in {kind.kind for kind in find(key).data_kinds} for key in fitting)
    page.search.setText("no such method")
    assert page.model.shown == []
    assert page.nothing.isVisibleTo(page)


def test_chapters_are_read_from_the_references():
    assert chapters(find("k_means"))[:2] == ("Handbook, chapter 3", "Methods for Data Science, chapter 9")
    chapter = chapters(find("k_means"))[0]
    assert Filter(chapter=chapter).rank(find("k_means")) == 0
    assert Filter(chapter="Handbook, chapter 99").rank(find("k_means")) is None
    beyond = [method for method in all_algorithms() if not chapters(method)]  # in no document, but in a paper or book
    assert all(method.reference for method in beyond)
    assert len(beyond) < 0.1 * len(all_algorithms())


def test_every_method_can_be_found_by_each_of_its_names():
    for method in all_algorithms():
        assert rank(method, method.title.lower().split()) == 0
        assert all(rank(method, synonym.lower().split()) in (0, 1) for synonym in method.synonyms)
        assert data_words(method)


def test_pictures_appear_when_they_have_been_drawn(page, tmp_path, monkeypatch):
    monkeypatch.setattr(gallery_page, "path_of", lambda key, theme: tmp_path / f"{key}-{theme}.png")
    page._look()
    assert len(page.started) == 1
    assert page.started[0][1][:3] == ["-m", "mlviz", "thumbnails"]
    assert page.model.look()
    picture = QPixmap(32, 20)
    picture.fill(QColor("red"))
    for method in page.model.shown:
        assert picture.save(str(tmp_path / f"{method.key}-light.png"))
    assert not page.model.look()
    assert len(page.model.pictures) == len(page.model.shown)
    page.set_theme(DARK)
    assert page.model.pictures == {}
    page.resize(900, 600)
    assert not page.grab().isNull()


def test_pictures_are_drawn_for_another_theme_too_and_those_that_are_shown_first(page, tmp_path, monkeypatch):
    monkeypatch.setattr(gallery_page, "path_of", lambda key, theme: tmp_path / f"{key}-{theme}.png")
    page.search.setText("GMM")
    page._look()
    page._look()
    page.set_theme(DARK)
    page._look()
    page._look()
    assert [command[1][-1] for command in page.started] == ["light", "dark"]
    assert page.started[1][1][3] == "gaussian_mixture"
    assert len(page.started[1][1]) == 3 + len(all_algorithms()) + 2


def test_the_page_looks_on_for_cards_that_come_back_and_says_where_there_will_be_no_picture(
    page, tmp_path, monkeypatch
):
    monkeypatch.setattr(gallery_page, "path_of", lambda key, theme: tmp_path / f"{key}-{theme}.png")
    states = gallery_page.QProcess.ProcessState
    state = [states.Running]
    monkeypatch.setattr(gallery_page.QProcess, "state", lambda process: state[0])
    page.show()
    page._look()
    picture = QPixmap(32, 20)
    picture.fill(QColor("red"))
    assert picture.save(str(tmp_path / "gaussian_mixture-light.png"))
    page.search.setText("GMM")
    assert not page._timer.isActive()  # all that is shown is there
    page.search.setText("")
    assert page._timer.isActive()
    assert page._delegate.instead == "drawing …"
    state[0] = states.NotRunning
    page._look()
    assert not page._timer.isActive()
    assert page._delegate.instead == "no picture"
    page.hide()


def test_a_card_breaks_no_word_of_a_summary_that_is_too_long(qapp):
    metrics = QFontMetricsF(QFont())
    text = "Two known densities, priors and costs: the threshold with the least expected loss."
    width = metrics.horizontalAdvance(text) / 2.6
    assert whole_words(text, metrics, width, 4) == text
    shown = whole_words(text, metrics, width, 2)
    assert shown.endswith(" …")
    assert text.startswith(shown.removesuffix(" …"))
    assert shown.split()[-2].strip(",:") in text.replace(",", "").replace(":", "").split()
    assert len(shown) > 0.5 * len(text)


def test_a_thumbnail_is_drawn_once(tmp_path, monkeypatch):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path))
    drawn = []
    monkeypatch.setattr(thumbnails, "draw", lambda method, path, theme: (drawn.append(method.key), path.touch()))
    assert thumbnails.make(["k_means", "mlp"]) == [thumbnails.path_of("k_means"), thumbnails.path_of("mlp")]
    thumbnails.make(["k_means"])
    assert drawn == ["k_means", "mlp"]


def test_a_method_that_cannot_be_drawn_costs_one_picture(tmp_path, monkeypatch):
    monkeypatch.setenv("MLVIZ_HOME", str(tmp_path))

    def draw(method, path, theme):
        if method.key == "mlp":
            raise RuntimeError("no")
        path.touch()

    monkeypatch.setattr(thumbnails, "draw", draw)
    assert thumbnails.make(["mlp", "k_means"]) == [thumbnails.path_of("k_means")]


def test_the_picture_of_a_method_is_drawn_without_words(tmp_path, qapp):
    path = tmp_path / "k.png"
    thumbnails.draw(find("k_means"), path)
    assert QPixmap(str(path)).size().toTuple() == (640, 400)


@pytest.mark.parametrize("width", [700, 940, 1180, 1700])
def test_the_cards_fill_the_width_of_the_page(page, width, qapp):
    page.resize(width, 600)
    page.show()
    qapp.processEvents()
    places = [page.view.visualRect(page.model.index(row)) for row in range(len(page.model.shown))]
    first = [place for place in places if place.top() == places[0].top()]
    unused = page.view.viewport().width() - first[-1].right()
    assert len(first) > 1
    assert unused < 0.2 * places[0].width()


def test_the_small_picture_has_neither_a_legend_nor_axes(qapp):
    algorithm = find("k_means")
    engine = recorded(algorithm, load_data("blobs(n=30)"), algorithm.make_params({}), 0, None)
    with _drawing(Style(THUMBNAIL, only="plane"), document_of(engine), engine) as figure:
        plane = figure.findChild(PlaneView)
        assert plane.getAxis("left").isVisible()
        figure.become_thumbnail()
        figure.set_frame(exact_frame(engine, 3))
        assert not plane.legend.isVisible()
        assert not any(plane.getAxis(side).isVisible() for side in ("left", "bottom"))
