"""Pictures: what Pillow writes is read, whatever its colours; everything else is one sentence, and soon."""

import io
import random
import zlib

import numpy as np
import pytest
from PIL import Image

from algorithms._checks.values import is_sentence
from algorithms.data import DataError
from mlviz.data import picture_files, reader_process
from mlviz.data.files import open_picture, read_data
from mlviz.data.process import ABORTED, OUT_OF_TIME
from mlviz.data.understanding import Wishes
from tests.corpus.mutations import mutated
from tests.corpus.reader import outcome
from tests.corpus.seeds import png_chunk, png_header

SHADES = np.arange(0, 240, 10, dtype=np.uint8).reshape(4, 6)


@pytest.fixture
def in_process(monkeypatch):
    """The reader without a process of its own and its limits: starting one takes most of a second."""

    def run(kind, path, target, reading, *more):
        return reader_process.main(kind, str(path), str(target), *more)

    monkeypatch.setattr(picture_files, "read_in_process", run)
    monkeypatch.setattr(reader_process, "limit", lambda size: None)


def written(path, array, mode=None, **options):
    Image.fromarray(array, mode).save(path, **options)
    return path


def refused(path):
    with pytest.raises(DataError) as caught:
        read_data(path)
    return str(caught.value)


def test_a_picture_is_read_in_a_process_of_its_own(tmp_path):
    made = open_picture(written(tmp_path / "shades.png", SHADES))
    assert np.array_equal(made.points.X, SHADES / 255.0)
    assert made.points.features[:2] == ("column 1", "column 2")
    assert made.points.name == "shades"
    assert made.notice == "A picture of 6 × 4 pixels, in grey."


def test_colours_become_grey(tmp_path, in_process):
    colours = np.stack([SHADES, SHADES, SHADES], axis=2)
    for name, array in (("grey.png", SHADES), ("colours.PNG", colours), ("clear.png", np.dstack([colours, SHADES]))):
        X = read_data(written(tmp_path / name, array)).X
        wanted = SHADES / 255.0
        if array.ndim == 3 and array.shape[2] == 4:  # on white paper
            wanted = wanted * wanted + 1.0 - wanted
        assert pytest.approx(wanted, abs=1.5 / 255) == X
    assert pytest.approx(SHADES / 255.0, abs=0.06) == read_data(written(tmp_path / "photo.jpeg", SHADES, quality=95)).X


@pytest.mark.parametrize("mode", ["1", "P", "LA", "I;16", "CMYK"])
def test_rarer_colours_are_read(tmp_path, in_process, mode):
    image = Image.fromarray(SHADES.astype(np.uint16) * 257) if mode == "I;16" else Image.fromarray(SHADES).convert(mode)
    path = tmp_path / ("a.jpg" if mode == "CMYK" else "a.png")
    image.save(path)
    X = read_data(path).X
    assert X.shape == (4, 6)
    assert X[0, 0] < 0.2
    assert X[3, 5] > 0.8


def test_large_ones_are_made_smaller_and_it_is_said(tmp_path, in_process):
    made = open_picture(written(tmp_path / "large.png", np.tile(SHADES, (150, 200))))
    assert made.points.X.shape == (128, 256)
    assert made.notice == "A picture of 1,200 × 600 pixels, in grey, made smaller: 256 columns and 128 rows."
    made = open_picture(written(tmp_path / "large.jpg", np.tile(SHADES, (500, 100))))
    assert made.points.X.shape == (256, 77)
    assert "600 × 2,000 pixels" in made.notice
    made = open_picture(written(tmp_path / "thin.png", SHADES.reshape(-1, 1).repeat(50, axis=0)))
    assert made.notice == "A picture of 1 × 1,200 pixels, in grey, made smaller: 1 column and 256 rows."


def test_a_photo_is_turned_as_its_camera_says(tmp_path, in_process):
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    path = tmp_path / "turned.png"
    Image.fromarray(SHADES).save(path, exif=exif)
    made = open_picture(path)
    assert pytest.approx(np.rot90(SHADES, -1) / 255.0) == made.points.X
    assert made.notice == "A picture of 4 × 6 pixels, in grey."


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, in_process):
    path = tmp_path / "bomb.png"
    path.write_bytes(png_header(60_000, 60_000) + png_chunk(b"IDAT", b"\0" * 100))
    assert refused(path) == "bomb.png has 60,000 × 60,000 pixels; at most 50 million are read."


def test_what_is_no_picture_gets_a_sentence(tmp_path, in_process):
    path = tmp_path / "a.png"
    path.write_bytes(b"")
    assert refused(path) == "a.png is empty."
    path.write_bytes(b"what am I" * 20)
    assert refused(path) == "a.png cannot be read as a picture: it is no PNG or JPEG file."
    whole = written(tmp_path / "b.png", np.tile(SHADES, (40, 40))).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert refused(path) == "a.png cannot be read as a picture: its end is missing."
    Image.fromarray(SHADES).save(path, format="BMP")
    assert refused(path) == "a.png cannot be read as a picture: it is no PNG or JPEG file."
    with pytest.raises(DataError, match="holds no table of points"):
        read_data(path, Wishes("x1"))


@pytest.mark.parametrize(("code", "said"), [(ABORTED, "more than 1 GB of memory"), (OUT_OF_TIME, "takes too long")])
def test_a_reader_that_dies_gets_a_sentence_about_pictures(tmp_path, monkeypatch, code, said):
    monkeypatch.setattr("mlviz.data.process._run", lambda command, reading: code)
    sentence = refused(written(tmp_path / "a.png", SHADES))
    assert said in sentence
    assert "cell" not in sentence
    assert "CSV" not in sentence
    assert is_sentence(sentence)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_mutations_are_read_or_get_one_sentence(tmp_path, in_process, form):
    made = io.BytesIO()
    Image.fromarray(np.tile(SHADES, (4, 4))).save(made, format=form)
    path, outcomes = tmp_path / f"a.{form.lower()}", set()
    for number in range(150):
        path.write_bytes(mutated(made.getvalue(), random.Random(f"{form} {number}")) or b"\0")
        said, fault = outcome(path)
        assert not fault
        outcomes.add(said and "refused")
    assert outcomes == {"", "refused"}


def test_texts_inside_that_unpack_to_much_are_refused(tmp_path, in_process):
    text = zlib.compress(b"a" * 80_000_000)
    chunk = png_chunk(b"zTXt", b"key\0\0" + text)
    whole = written(tmp_path / "b.png", SHADES).read_bytes()
    path = tmp_path / "text.png"
    path.write_bytes(whole[:33] + chunk + whole[33:])
    assert refused(path) == "text.png cannot be read as a picture: it is damaged."
