"""Films: every format holds the chosen frames for as long as was asked, and a cancelled one leaves nothing."""

import re
import sys

import pytest
from PIL import Image

from algorithms import DataError, find
from mlviz.data.spec import load_data
from mlviz.export.films import MOST_FRAMES, Encoder, Timing, check_length, film_writer
from mlviz.export.frames import recorded
from mlviz.export.render import Span, Style, document_of, draw_handout, render_film

COLOURS = ["#ff0000", "#00ff00", "#0000ff"]


def frames():
    return [Image.new("RGB", (41, 30), colour) for colour in COLOURS]


def written(path, **timing):
    encoder = Encoder(film_writer(path, Timing(**timing), "a <title>"))
    for frame in frames():
        encoder.add(frame)
    encoder.finish()
    encoder.join()
    assert encoder.written == 3


@pytest.mark.parametrize("ending", ["gif", "webp"])
def test_moving_pictures_hold_the_last_frame(ending, tmp_path):
    path = tmp_path / f"a.{ending}"
    written(path, fps=10, hold=1.5)
    with Image.open(path) as film:
        assert (film.n_frames, film.size) == (3, (41, 30))
        seen = []
        for number in range(3):
            film.seek(number)
            film.load()
            seen.append((film.convert("RGB").getpixel((5, 5)), film.info["duration"]))
    assert [colour for colour, _ in seen] == [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    assert [duration for _, duration in seen] == [100, 100, 1600]
    assert list(tmp_path.iterdir()) == [path]


def test_a_sequence_is_numbered(tmp_path):
    written(tmp_path / "frames")
    names = sorted(item.name for item in (tmp_path / "frames").iterdir())
    assert names == ["frame-0000.png", "frame-0001.png", "frame-0002.png"]
    with Image.open(tmp_path / "frames" / names[1]) as frame:
        assert frame.getpixel((0, 0)) == (0, 255, 0)


def test_a_sequence_that_fails_leaves_the_frames_that_were_there(tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    (tmp_path / "frame-0000.png").write_text("kept")
    (tmp_path / "frame-0001.png").write_text("kept")
    first, second, _ = frames()
    monkeypatch.setattr(second, "save", full)
    encoder = Encoder(film_writer(tmp_path, Timing()))
    encoder.add(first)
    encoder.add(second)
    encoder.finish()
    with pytest.raises(OSError, match="No space left on device"):
        encoder.join()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "frame-0000.png": "kept",
        "frame-0001.png": "kept",
    }


def test_the_page_is_one_file_that_asks_nobody(tmp_path):
    path = tmp_path / "a.html"
    written(path, fps=4, hold=1)
    text = path.read_text()
    assert "<title>a &lt;title&gt;</title>" in text
    assert text.count("data:image/webp;base64,") == 3
    assert not re.search(r"https?://|src=\"(?!data)|<link", text)
    assert 'max="2"' in text
    assert "pause = 250.0, hold = 1000" in text
    assert "$" not in re.sub(r"data:image[^\"]*", "", text)


def test_mp4_or_a_sentence_that_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(DataError, match=r"pip install 'mlviz\[mp4\]'"):
        film_writer(tmp_path / "a.mp4", Timing())
    assert list(tmp_path.iterdir()) == []


def test_mp4_plays(tmp_path):
    import av

    written(tmp_path / "a.mp4", fps=10, hold=0.5)
    with av.open(str(tmp_path / "a.mp4")) as film:
        shown = [frame.to_image().getpixel((5, 5)) for frame in film.decode(video=0)]
    assert len(shown) == 3 + 5
    assert [max(range(3), key=lambda channel: colour[channel]) for colour in shown] == [0, 1, 2, 2, 2, 2, 2, 2]


@pytest.mark.parametrize("name", ["a.gif", "a.webp", "a.html", "frames"])
def test_a_cancelled_film_leaves_nothing_and_the_old_one_stays(name, tmp_path):
    old = tmp_path / "a.gif"
    old.write_bytes(b"old")
    encoder = Encoder(film_writer(tmp_path / name, Timing()))
    encoder.add(frames()[0])
    encoder.cancel()
    encoder.join()
    assert [item.name for item in tmp_path.iterdir()] == ["a.gif"]
    assert old.read_bytes() == b"old"


def test_what_goes_wrong_in_the_thread_is_raised_outside(tmp_path):
    class Faulty:
        aborted = False

        def add(self, frame):
            raise OSError("disk full")

        def abort(self):
            self.aborted = True

    writer = Faulty()
    encoder = Encoder(writer)
    encoder.add(frames()[0])
    with pytest.raises(OSError, match="disk full"):
        encoder.join()
    assert writer.aborted
    encoder.add(frames()[0])  # does not wait for a thread that has ended
    encoder.finish()


def test_a_film_of_too_many_frames_is_refused(tmp_path):
    with pytest.raises(DataError, match="one step in 3"):
        check_length(3 * MOST_FRAMES, tmp_path / "a.gif")
    check_length(3 * MOST_FRAMES, tmp_path / "folder")


def test_a_film_of_chosen_steps(qtbot, tmp_path):
    algorithm = find("k_means")
    heard = []
    render_film(
        algorithm,
        load_data("blobs(n=30)"),
        algorithm.make_params({}),
        0,
        tmp_path / "a.gif",
        span=Span(0, 5, 2),
        style=Style(size=(240, 180)),
        progress=lambda done, whole: heard.append((done, whole)),
    )
    with Image.open(tmp_path / "a.gif") as film:
        assert (film.n_frames, film.size) == (4, (240, 180))  # steps 0, 2, 4 and the last, 5
    assert heard == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_a_handout_shows_the_chosen_number_of_steps(ending, qtbot, tmp_path):
    algorithm = find("k_means")
    path = tmp_path / f"a.{ending}"
    run = recorded(algorithm, load_data("blobs(n=30)"), algorithm.make_params({"k": 2}), 4)
    draw_handout(document_of(run), run, path, count=4)
    if ending == "svg":
        text = path.read_text()
        assert text.count(">Step ") == 4
        assert "30 points · k = 2 · seed 4" in text
        assert text.count(">k-means · blobs<") == 2  # the title of the file and that of the sheet, not of each step
    elif ending == "png":
        with Image.open(path) as image:
            assert image.size == (2246, 1588)
    else:
        assert len(re.findall(rb"/Type\s*/Page\b", path.read_bytes())) == 1


def test_a_film_has_so_many_pixels_at_most(tmp_path):
    with pytest.raises(DataError, match="600 frames of 2,000 by 1,000 pixels are 1,200 million pixels"):
        check_length(600, tmp_path / "a.gif", (2000, 1000))
    check_length(600, tmp_path / "a.gif", (1200, 800))
    check_length(600, tmp_path / "folder", (2000, 1000))


def test_a_frame_that_would_take_too_much_memory_is_refused_in_a_folder_too(tmp_path):
    for name in ("folder", "a.gif"):
        with pytest.raises(DataError, match=r"A frame of 8,192 by 8,192 pixels .*: 10 million are the most\."):
            check_length(2, tmp_path / name, (8192, 8192))
    check_length(2, tmp_path / "folder", (4096, 2160))
