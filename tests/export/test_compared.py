"""Pictures and films of several settings: every board on one page, at the same time."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from algorithms.marks import Isolines
from mlviz.cli import main
from mlviz.data.spec import load_data
from mlviz.export import lesson
from mlviz.export.compared import ComparedFigure
from mlviz.export.figure import Figure
from mlviz.export.lesson import lesson_handout, slide_image, thumbnail_style
from mlviz.export.pieces import finished
from mlviz.export.render import Span, Style, draw_film, draw_handout, draw_picture
from mlviz.session.comparison import Setting
from mlviz.session.document import Document
from mlviz.session.files import save
from mlviz.session.layout import BoardLook, EvaluationSettings, Layout, Viewport
from mlviz.session.lesson import Lesson, Slide
from mlviz.worker.shared_run import SharedRun, finished_run, new_run

SMALL = Style(size=(750, 300))


@pytest.fixture
def document():
    data = load_data("moons(n=40,noise=0.2,seed=1)")
    return Document(data, "decision_tree").beside(Setting("logistic_regression")).compared(difference=True)


@pytest.fixture
def run(document):
    return finished_run(document)


@pytest.fixture
def make(qtbot, document, run):
    made = []

    def figure(style=SMALL, of=None):
        made.append(style.figure(*(of or (document, run))))
        return made[-1]

    yield figure
    for one in made:
        one.dispose()


def test_the_clock_counts_the_longest_run(document, run):
    tree, logistic = (len(engine.timeline) for engine in run.engines)
    assert tree != logistic
    assert len(run.timeline) == max(tree, logistic)
    frame = run.timeline.frame(max(tree, logistic) - 1)
    assert [part.step for part in frame.parts] == [tree - 1, logistic - 1]
    assert frame.snapshot is frame.parts[1].snapshot
    assert frame.exact
    shared = SharedRun(document.compared(clock="fraction"), run.engines)
    assert len(shared.timeline) == logistic
    middle = shared.timeline.frame((logistic - 1) // 2)
    assert middle.parts[0].step == round((logistic - 1) // 2 / (logistic - 1) * (tree - 1))


def test_a_run_of_all_settings_is_begun_watched_and_called_off(document, qtbot):
    run = new_run(document)
    assert isinstance(run, SharedRun)
    run.hurry()
    run.begin()
    qtbot.waitUntil(lambda: run.ended)
    assert run.error is None
    run.cancel()
    assert run.state == "finished"
    assert not isinstance(new_run(document.alone()), SharedRun)


def test_whatever_one_of_them_has_against_the_data_is_said(document):
    unlabelled = type(document.data)(document.data.X)
    with pytest.raises(Exception, match="class"):
        finished_run(document.with_data(unlabelled))


def test_every_setting_has_a_figure_and_the_map_stands_last(make, run):
    figure = make()
    assert isinstance(figure, ComparedFigure)
    assert [one.title.text() for one in figure.figures] == ["Decision tree", "Logistic regression"]
    figure.set_frame(run.timeline.frame(len(run.timeline) - 1))
    assert "They disagree on" in figure.map.caption.text()
    assert {one.caption.height() for one in figure.figures} == {figure.figures[0].caption.height()}
    assert all(one.caption.text().startswith("Step ") for one in figure.figures)
    image = figure.draw()
    assert (image.width(), image.height()) == (750, 300)


def test_the_planes_show_the_same_part_of_the_data(make, document, run):
    viewport = Viewport((0.0, 0.5, 0.0, 0.5))
    figure = make(Style(size=(900, 400), layout=Layout(viewports={"plane": viewport})))
    figure.set_frame(run.timeline.frame(2))
    for view in (*(one._views[0] for one in figure.figures), figure.map.view):
        left, right, _, _ = view.view_rect()
        assert left <= 0.0 < 0.5 <= right < 1.5


def test_one_view_alone_is_that_of_the_active_setting(make, document, run):
    figure = make(Style(size=(300, 200), only="plane"))
    assert isinstance(figure, Figure)
    assert figure.title.text().startswith("Logistic regression")


def test_without_a_sort_of_answer_in_common_there_is_no_map(make, document):
    other = document.without(1).beside(Setting("k_means")).compared(difference=True)
    assert make(of=(other, finished_run(other))).map is None


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_pictures(tmp_path, qtbot, document, run, suffix):
    path = tmp_path / f"two.{suffix}"
    draw_picture(document, run, path, style=SMALL)
    if suffix == "png":
        with Image.open(path) as file:
            image = np.asarray(file.convert("RGB"))
        assert image.shape[:2] == (300, 750)
        thirds = np.array_split(image, 3, axis=1)
        assert all(len(np.unique(part.reshape(-1, 3), axis=0)) > 50 for part in thirds)  # something in each
    elif suffix == "svg":
        text = path.read_text("utf-8")
        assert "Decision tree" in text
        assert "Where they differ" in text
    else:
        assert path.read_bytes().startswith(b"%PDF")


def test_a_film_goes_to_the_end_of_the_longest_run(tmp_path, qtbot, document, run):
    draw_film(document, run, tmp_path / "two.gif", span=Span(every=5), style=SMALL)
    with Image.open(tmp_path / "two.gif") as film:
        assert film.size == (750, 300)
        assert film.n_frames >= len(run.timeline) // 5


def test_a_handout(tmp_path, qtbot, document, run):
    draw_handout(document, run, tmp_path / "two.pdf", count=2)
    assert (tmp_path / "two.pdf").read_bytes().startswith(b"%PDF")


def test_slides_of_a_lesson_show_all_boards(tmp_path, qtbot, document):
    slide = Slide.of(document, 3, Layout())
    image = finished(slide_image(slide, thumbnail_style("light")))
    assert not image.isNull()
    finished(lesson_handout(Lesson(slides=(slide,)), tmp_path / "lesson.pdf"))
    assert (tmp_path / "lesson.pdf").stat().st_size > 5000


class Held(SharedRun):
    """Runs of which one has not begun yet, as on a busy machine; the others are where a slide asks for."""

    def begin(self):
        self.waits = self.engines[-1]
        for engine in self.engines[:-1]:
            engine.begin()


@pytest.mark.parametrize("clock", ["step", "fraction"])
def test_a_slide_waits_for_the_slowest_board(qtbot, monkeypatch, document, clock):
    document = document.compared(clock=clock)
    made = []
    monkeypatch.setattr(lesson, "new_run", lambda document: made.append(held(document)) or made[-1])
    pieces = slide_image(Slide.of(document, 3, Layout()), thumbnail_style("light"))
    assert next(pieces) is None
    (run,) = made
    qtbot.waitUntil(lambda: all(engine.reached(3) for engine in run.engines[:-1]))
    assert [next(pieces) for _ in range(3)] == [None] * 3  # it would have drawn by now
    assert len(run.timeline) == 0
    run.waits.begin()
    assert not finished(pieces).isNull()
    assert all(engine.reached(3) for engine in run.engines)


def held(document):
    run = new_run(document)
    return Held(run.document, run.engines)


# -- the command line -------------------------------------------------------------------------------------------------


@pytest.fixture
def session(tmp_path, document):
    save(tmp_path / "two.mlviz", document, {"playhead": 2})
    return tmp_path / "two.mlviz"


def test_render_draws_what_a_session_shows(session, tmp_path, capsys, qtbot):
    assert main(["render", str(session), "--out", str(tmp_path / "a.svg"), "--size", "600x300"]) == 0
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert "Logistic regression" in text
    assert "Step 2:" in text  # where it was left
    assert main(["render", str(session), "--out", str(tmp_path / "b.svg"), "--step", "0"]) == 0
    assert "Step 0:" in (tmp_path / "b.svg").read_text("utf-8")
    assert main(["render", str(session), "--out", str(tmp_path / "c.pdf")]) == 0
    assert (tmp_path / "c.pdf").exists()


@pytest.mark.parametrize("option", [["--data", "moons"], ["--param", "k=3"], ["--seed", "3"]])
def test_render_refuses_what_the_session_has_chosen(session, tmp_path, capsys, option):
    assert main(["render", str(session), "--out", str(tmp_path / "a.png"), *option]) != 0
    assert f"{option[0]} does not go with a session" in capsys.readouterr().err


def test_render_says_what_is_wrong_with_a_session(tmp_path, capsys):
    broken = tmp_path / "no.mlviz"
    with zipfile.ZipFile(broken, "w") as archive:
        archive.writestr("a", b"b")
    for out in ("a.png", "a.pdf"):
        assert main(["render", str(broken), "--out", str(tmp_path / out)]) != 0
        assert "no.mlviz" in capsys.readouterr().err
    assert main(["render", str(tmp_path / "gone.mlviz"), "--out", str(tmp_path / "a.png")]) != 0
    assert not Path(tmp_path / "a.png").exists()


def test_the_threshold_of_an_evaluation_is_drawn_on_all_boards_and_in_the_map(make, run):
    evaluation = EvaluationSettings(threshold=0.8)
    boards = (BoardLook(), BoardLook({"logistic_regression": "evaluation"}, evaluation=evaluation))
    figure = make(replace(SMALL, size=(1200, 500), layout=Layout(boards=boards)))
    frame = run.timeline.frame(len(run.timeline) - 1)
    queries = figure.begin(frame)
    assert [model.threshold.level for model in queries.difference.models] == [0.8, 0.8]
    figure.complete(queries.answered())
    tree, logistic = figure.figures
    assert tree._compositor.threshold.level == logistic._compositor.threshold.level == 0.8
    lined = [view for view in tree._views if view.panel.space == "data"]
    assert any(isinstance(mark, Isolines) for mark in lined[0].marks)
    assert logistic.evaluation is not None
    assert logistic.evaluation.height() > max(view.height() for view in logistic._views)  # it is the large view there
    assert tree.evaluation is None


def test_without_an_evaluation_every_method_decides_by_itself(make, run):
    figure = make()
    queries = figure.begin(run.timeline.frame(0))
    assert [model.threshold for model in queries.difference.models] == [None, None]
    assert figure.figures[0]._compositor.threshold is None


def test_two_maps_are_on_the_page(make):
    document = Document(load_data("swiss_roll(n=60,seed=1)"), "pca").beside(Setting("mds")).compared(difference=True)
    figure = make(of=(document, finished_run(document)))
    frames = figure._run.timeline
    figure.set_frame(frames.frame(len(frames) - 1))
    assert figure.map.title.text() == "Same data, two maps"
    assert "0.00% of its squared size" in figure.map.caption.text()
    assert len(figure.map.view.marks) == 3
