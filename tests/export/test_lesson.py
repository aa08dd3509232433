"""A lesson on paper and as a page: every slide with its words, its picture at its step, and a chapter of its run."""

from __future__ import annotations

import base64
import io
import json
import re
from xml.etree import ElementTree

import pytest
from PIL import Image
from PySide6.QtCore import QSizeF

from mlviz.cli import main as cli
from mlviz.data.generators import generate
from mlviz.export.handout import A4
from mlviz.export.lesson import MOST_OF_A_SLIDE, lesson_handout, lesson_page, slide_image, slide_sheet, thumbnail_style
from mlviz.export.pictures import page
from mlviz.export.pieces import finished
from mlviz.session.document import Document
from mlviz.session.files import save
from mlviz.session.lesson import Lesson, Slide
from mlviz.ui import export_dialog, exporting
from tests.ui.conftest import make_window

__all__ = ["make_window"]


@pytest.fixture(scope="module")
def lesson():
    blobs = generate("blobs", n=60, seed=3)
    slides = (
        Slide(Document(blobs, "k_means"), 0, title="The start", question="Where do the centres go? </script>"),
        Slide(Document(blobs, "k_means"), 3, title="Later", note="Nobody else reads this."),
        Slide(Document(generate("moons", n=60), "k_means", {"k": 2}), 10**6, title="The end"),
    )
    return Lesson(slides, title="A small lesson")


def pages(path):
    return len(re.findall(rb"/Type\s*/Page\b", path.read_bytes()))


def test_the_handout_has_a_page_for_every_slide(qapp, lesson, tmp_path):
    finished(lesson_handout(lesson, tmp_path / "a.pdf"))
    assert pages(tmp_path / "a.pdf") == 3
    assert re.search(rb"/MediaBox \[\s*0 0 842", (tmp_path / "a.pdf").read_bytes())


def test_a_sheet_has_the_words_for_the_class_and_the_picture_at_the_step(qapp, lesson, tmp_path):
    sheets = []
    for number, slide in enumerate(lesson.slides):
        path = tmp_path / f"{number}.svg"
        with page(path, QSizeF(*A4), "") as (write, painter):
            finished(slide_sheet(slide, painter, f"A small lesson {number + 1} / 3"))
        write()
        sheets.append(" ".join(ElementTree.parse(path).getroot().itertext()))
    for slide, sheet, number in zip(lesson.slides, sheets, (1, 2, 3)):
        assert slide.title in sheet
        assert f"A small lesson {number} / 3" in sheet
        assert slide.document.data.name in sheet
    assert "Where do the centres go?" in sheets[0]
    assert "Step 0:" in sheets[0]
    assert "Step 3:" in sheets[1]
    assert not any("Nobody" in sheet for sheet in sheets)


def page_of(path):
    text = path.read_text("utf-8")
    frames = json.loads(re.search(r"const frames = (\[.*?\]), chapters = ", text)[1])
    chapters = json.loads(re.search(r"chapters = (\[.*?\]), pause = ", text)[1])
    return text, frames, chapters


def test_the_page_has_a_chapter_for_every_slide_that_opens_at_its_step(qapp, lesson, tmp_path):
    path = tmp_path / "a.html"
    finished(lesson_page(lesson, path))
    text, frames, chapters = page_of(path)
    assert text.count("</script>") == 1
    assert "<title>A small lesson</title>" in text
    assert [chapter["title"] for chapter in chapters] == ["The start", "Later", "The end"]
    assert chapters[0]["question"] == "Where do the centres go? </script>"
    assert [chapter["opens"] - chapter["first"] for chapter in chapters[:2]] == [0, 3]
    assert chapters[2]["opens"] == len(frames) - 1  # a step behind the end is the end
    assert len(frames) <= 3 * (MOST_OF_A_SLIDE + 1)
    assert "Nobody" not in text
    first = Image.open(io.BytesIO(base64.b64decode(frames[0].partition(",")[2])))
    assert first.size == (960, 640)
    assert frames[chapters[1]["first"]] == frames[0]  # the same run from its start
    assert frames[chapters[1]["opens"]] != frames[0]


def test_a_run_that_is_refused_stops_the_handout_with_its_sentence(qapp, lesson, tmp_path):
    bad = Slide(Document(generate("blobs", n=2), "k_means", {"k": 9}))
    with pytest.raises(Exception, match="9 clusters need at least 9"):
        finished(lesson_handout(lesson.with_slide(bad), tmp_path / "a.pdf"))
    assert list(tmp_path.iterdir()) == []


def test_a_thumbnail_is_the_large_view_at_the_step(qapp, lesson):
    start, later, _ = (finished(slide_image(slide, thumbnail_style("light"))) for slide in lesson.slides)
    assert (start.width(), start.height()) == (320, 200)
    assert start != later


def test_the_command_line_draws_a_lesson(lesson, tmp_path, capsys):
    document = lesson.slides[0].document
    save(tmp_path / "a.mlviz", document.with_lesson(Lesson(lesson.slides[:2])))
    assert cli(["render", str(tmp_path / "a.mlviz"), "--out", str(tmp_path / "a.pdf")]) == 0
    assert pages(tmp_path / "a.pdf") == 2
    assert cli(["render", str(tmp_path / "a.mlviz"), "--out", str(tmp_path / "a.html"), "--theme", "dark"]) == 0
    assert len(page_of(tmp_path / "a.html")[2]) == 2
    assert cli(["render", str(tmp_path / "a.mlviz"), "--out", str(tmp_path / "a.png")]) == 0  # what the session shows
    save(tmp_path / "none.mlviz", document)
    assert cli(["render", str(tmp_path / "none.mlviz"), "--out", str(tmp_path / "none.pdf")]) == 0
    assert pages(tmp_path / "none.pdf") == 1
    for arguments, words in (
        (("nowhere.mlviz", "a.pdf"), "could not be opened"),
        (("a.mlviz", "a.pdf", "--step", "3"), "--step does not go with a lesson"),
        (("a.mlviz", "a.pdf", "--data", "blobs"), "--data does not go with a lesson"),
    ):
        session, out, *rest = arguments
        assert cli(["render", str(tmp_path / session), "--out", str(tmp_path / out), *rest]) != 0
        assert words in capsys.readouterr().err


def test_the_window_offers_the_lesson_and_writes_it(make_window, lesson, qtbot, tmp_path):
    window = make_window()
    assert not window.exporter.offers("lesson")
    window.apply(window.document.with_lesson(Lesson(lesson.slides[:1], title="One")), "lesson")
    dialog = export_dialog.ExportDialog(window.exporter, window)
    dialog.choose("lesson", ".pdf")
    assert dialog.chosen.key == "lesson"
    assert window.exporter.proposal("lesson", ".pdf") == "One.pdf"
    dialog.export_to(tmp_path / "one.pdf")
    qtbot.waitUntil(lambda: dialog.message.text() == "Exported one.pdf.")
    assert pages(tmp_path / "one.pdf") == 1
    job = window.exporter.export(exporting.ExportRequest("lesson"), tmp_path / "two.html")
    ends = []
    job.ended.connect(ends.append)
    job.start()
    job.cancel()
    qtbot.waitUntil(lambda: bool(ends))
    assert isinstance(ends[0], exporting.Cancelled)
    assert not (tmp_path / "two.html").exists()
    dialog.reject()


@pytest.mark.parametrize("painted", [1, 2])
def test_a_handout_that_is_called_off_between_two_views_leaves_its_painter_in_order(qapp, lesson, tmp_path, painted):
    """Or Qt says that the painter ended with saved states."""
    pieces = lesson_handout(lesson, tmp_path / "a.pdf")
    while painted:
        painted -= next(pieces) is not None
    pieces.close()
    assert list(tmp_path.iterdir()) == []
