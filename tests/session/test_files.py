"""Session files: round trip, repair, hostile input, and a save that fails half way."""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import stat
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms import Points
from algorithms.moved import RULES
from mlviz.session import files
from mlviz.session.document import Document
from mlviz.session.files import SessionError, load, save
from mlviz.session.layout import Dock, EvaluationSettings, Layout, Viewport

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def document(data):
    return Document(data, "first", {"k": 7, "centres": ((0.5, 1.0), (2.0, 3.0))}, seed=42, axes=(1, 0))


def described(**changes):
    raw = {
        "format": files.FORMAT,
        "algorithm": "first",
        "params": {},
        "seed": 0,
        "axes": [0, 1],
        "data": {"name": "d", "features": ["a", "b"], "classes": [], "target": ""},
        "extra": {},
    }
    raw.update(changes)
    return raw


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def packed(path, raw=None, table=None, **members):
    """A session file made by hand; a member given as None is left out."""
    content = {
        "session.json": raw if isinstance(raw, bytes) else json.dumps(described() if raw is None else raw).encode(),
        "data.npz": npz(X=np.zeros((3, 2))) if table is None else table,
        **members,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in content.items():
            if part is not None:
                archive.writestr(name, part)
    return path


def test_a_session_comes_back_as_it_was(tmp_path, document):
    path = tmp_path / "a.mlviz"
    save(path, document, {"step": 3, "speed": 1.5, "layout": ["a", None, True]})
    loaded = load(path)
    assert loaded.notices == []
    assert loaded.extra == {"step": 3, "speed": 1.5, "layout": ["a", None, True]}
    assert loaded.document.changes(document) == {"data"}
    np.testing.assert_array_equal(loaded.document.data.X, document.data.X)
    assert (loaded.document.data.name, loaded.document.data.features) == ("three points", ("x1", "x2"))
    assert loaded.document.params["centres"] == ((0.5, 1.0), (2.0, 3.0))


def test_the_same_session_is_the_same_file_at_any_time_of_day(tmp_path, document, monkeypatch):
    save(tmp_path / "one.mlviz", document)
    monkeypatch.setattr("time.localtime", lambda *_: (2001, 2, 3, 4, 5, 6, 0, 0, 0))
    save(tmp_path / "two.mlviz", document)
    assert (tmp_path / "one.mlviz").read_bytes() == (tmp_path / "two.mlviz").read_bytes()


def test_the_plane_of_the_principal_components_comes_back(tmp_path):
    data = Points(np.random.default_rng(0).normal(size=(12, 5)))
    document = Document(data, "first").with_pca()
    save(tmp_path / "a", document)
    loaded = load(tmp_path / "a")
    assert (loaded.document.axes, loaded.notices) == (document.axes, [])


@pytest.mark.parametrize(
    "axes", [{"kind": "pca"}, {"kind": "pca", "mean": [0, 0], "directions": [], "fractions": [1, 1]}]
)
def test_a_plane_that_does_not_fit_leaves_a_notice(tmp_path, axes):
    loaded = load(packed(tmp_path / "a", described(axes=axes)))
    assert (loaded.document.axes, len(loaded.notices)) == ((0, 1), 1)
    assert "The first two features are shown." in loaded.notices[0]


@pytest.mark.parametrize(
    "data",
    [
        Points([1.0, 2.0], np.array([0.25, 1e-300]), target="price"),
        Points(np.eye(3), np.array(["b", "a", "b"]), features=["α", "β\n", "γ"], target="kind"),
        Points(np.eye(2), np.array([1, 1]), classes=("never", "always")),
        Points([[np.pi, -1e99]]),
    ],
    ids=["values", "classes", "empty class", "one point"],
)
def test_every_kind_of_data_comes_back(tmp_path, data):
    save(tmp_path / "a", Document(data, "second"))
    back = load(tmp_path / "a").document.data
    np.testing.assert_array_equal(back.X, data.X)
    for name in ("features", "classes", "target", "name", "is_valued", "is_labelled"):
        assert getattr(back, name) == getattr(data, name)
    if data.y is not None:
        np.testing.assert_array_equal(back.y, data.y)
        assert back.y.dtype == data.y.dtype


def test_the_sample_of_format_1_still_opens():
    """Written on the day the format was fixed, never written again."""
    loaded = load(SAMPLES / "format-1.mlviz")
    document = loaded.document
    assert loaded.notices == []
    assert loaded.extra == {"step": 4, "theme": "dark"}
    assert (document.algorithm, document.seed, document.axes) == ("first", 7, (1, 0))
    assert dict(document.params) == {"k": 4, "tol": 0.25, "init": "far", "centres": ((0.5, 1.5),)}
    np.testing.assert_array_equal(document.data.X, [[0, 1], [2, 3], [4, 8]])
    np.testing.assert_array_equal(document.data.y, [1, 0, 1])
    assert (document.data.features, document.data.classes) == (("width", "height"), ("no", "yes"))
    assert (document.data.target, document.data.name) == ("kind", "sample")


def test_the_sample_of_format_2_still_opens():
    """The first with a layout; written on the day the format was fixed, never written again."""
    loaded = load(SAMPLES / "format-2.mlviz")
    assert loaded.notices == []
    assert loaded.extra == {"playhead": 4}
    assert loaded.document.data.n == 3
    assert loaded.layout == Layout(
        viewports={"plane": Viewport((-1.0, 5.0, 0.5, 9.5)), "cloud": Viewport(None, (0.5, -0.25))},
        second="evaluation",
        controls="Data",
        curve="J",
        logarithmic={"J": True},
        evaluation=EvaluationSettings("cross-validation", 1, 0.75, False, 1, (0, 1), 0.45),
        pinned=(0, 2),
        large_height=0.7,
        beside=0.5,
        docks=(Dock("dock_methods", "left", 0, False, 236, 600), Dock("dock_controls", "right", 0, True, 290, 340)),
        speed=math.inf,
        by_phase=True,
    )


def test_the_sample_of_format_3_still_opens():
    """The first with kinds of data and a shelf; written on the day the format was fixed, never written again."""
    loaded = load(SAMPLES / "format-3.mlviz")
    assert loaded.notices == []
    assert loaded.document.data.kind == "points"
    (graph,) = loaded.document.shelf
    assert (graph.kind, graph.n, graph.directed, graph.names) == ("graph", 3, True, ("a", "b", "c"))
    assert graph.weights.tolist() == [1.5, 2.0]


def test_old_formats_are_migrated_step_by_step(tmp_path, monkeypatch):
    raw = described(format=1, method="second", seed=5)
    monkeypatch.setattr(files, "FORMAT", 3)
    monkeypatch.setitem(files.MIGRATIONS, 1, lambda raw: {**raw, "format": 2, "algorithm": raw["method"]})
    monkeypatch.setitem(files.MIGRATIONS, 2, lambda raw: {**raw, "format": 3, "seed": raw["seed"] + 10})
    del raw["algorithm"]
    loaded = load(packed(tmp_path / "a", raw))
    assert (loaded.document.algorithm, loaded.document.seed) == ("second", 15)
    with pytest.raises(SessionError, match="cannot be brought up to date"):
        load(packed(tmp_path / "b", {"format": 1}))


def test_every_old_format_has_a_migration_and_a_sample():
    for number in range(1, files.FORMAT + 1):
        assert (SAMPLES / f"format-{number}.mlviz").exists()
        assert number in files.MIGRATIONS or number == files.FORMAT


def test_what_has_moved_opens_in_its_new_place(tmp_path, monkeypatch):
    monkeypatch.setitem(RULES, "of old", lambda values: ("first", {"k": values["number"]}, ""))
    loaded = load(packed(tmp_path / "a", described(algorithm="of old", params={"number": 4})))
    assert (loaded.document.algorithm, loaded.document.params["k"], loaded.notices) == ("first", 4, [])


def test_parameters_that_are_unknown_or_wrong_leave_a_notice(tmp_path):
    raw = described(params={"k": 99, "colour": 1, "tol": "x", "init": "far", "centres": [[1, 2], [3]]})
    loaded = load(packed(tmp_path / "a", raw))
    assert dict(loaded.document.params) == {"k": 3, "tol": 0.5, "init": "far", "centres": ()}
    assert len(loaded.notices) == 4
    assert "k must be a whole number from 1 to 20; got 99. The default 3 is used instead." in loaded.notices
    assert "First has no parameter 'colour' any more; it was ignored." in loaded.notices


@pytest.mark.parametrize("seed", [-1, 1.5, "3", None, True, 10**30, []])
def test_a_wrong_seed_leaves_a_notice(tmp_path, seed):
    loaded = load(packed(tmp_path / "a", described(seed=seed)))
    assert (loaded.document.seed, len(loaded.notices)) == (0, 1)


@pytest.mark.parametrize("axes", [[0], [0, 0], [0, 2], [-1, 0], ["0", 1], None, [0.0, 1.0], {}, [False, True]])
def test_wrong_axes_leave_a_notice(tmp_path, axes):
    loaded = load(packed(tmp_path / "a", described(axes=axes)))
    assert (loaded.document.axes, len(loaded.notices)) == ((0, 1), 1)


def test_an_extra_of_the_wrong_type_leaves_a_notice(tmp_path):
    loaded = load(packed(tmp_path / "a", described(extra=[1])))
    assert (loaded.extra, len(loaded.notices)) == ({}, 1)


DAMAGED = {
    "no json": b"{",
    "not utf-8": b"\xff\xfe",
    "a list": b"[]",
    "a number": b"1",
    "nothing": b"",
    "deep": b"[" * 200_000,
    "NaN": json.dumps(described(seed=float("nan"))).encode(),
    "long number": b'{"format": ' + b"9" * 10_000 + b"}",
    "no format": {},
    "format text": described(format="1"),
    "format true": described(format=True),
    "format 0": described(format=0),
    "newer": described(format=files.FORMAT + 1),
    "unknown algorithm": described(algorithm="frist"),
    "algorithm number": described(algorithm=3),
    "params list": described(params=[]),
    "params null": described(params=None),
    "data null": described(data=None),
    "features number": described(data={"features": 2}),
    "features numbers": described(data={"features": [1, 2]}),
    "features short": described(data={"features": ["a"]}),
    "name number": described(data={"features": ["a", "b"], "name": 3}),
    "half a letter": json.dumps(described(note="\ud83d")).encode(),
    "many classes": described(data={"features": ["a", "b"], "classes": [str(i) for i in range(1000)]}),
}


@pytest.mark.parametrize("raw", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_description_is_one_sentence(tmp_path, raw):
    with pytest.raises(SessionError) as caught:
        load(packed(tmp_path / "a.mlviz", raw))
    assert str(caught.value).startswith("a.mlviz ")
    assert str(caught.value).rstrip().endswith((".", "?"))
    assert "\n" not in str(caught.value)


def test_messages_help(tmp_path):
    with pytest.raises(SessionError, match="newer version"):
        load(packed(tmp_path / "a", described(format=files.FORMAT + 1)))
    with pytest.raises(SessionError, match="did you mean 'first'"):
        load(packed(tmp_path / "a", described(algorithm="frist")))
    with pytest.raises(SessionError, match="could not be opened: No such file"):
        load(tmp_path / "nowhere")
    with pytest.raises(SessionError, match="could not be opened"):
        load(tmp_path)


def npy(header, body=b"", version=(1, 0)):
    text = header.encode()
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version == (1, 0) else "<I", len(text)) + text + body


def zipped(compression=zipfile.ZIP_STORED, **members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, part in members.items():
            archive.writestr(name.replace("_", "."), part)
    return stream.getvalue()


class Evil:
    """Would leave a trace if it were ever unpickled."""

    def __reduce__(self):
        return os.mkdir, (os.environ["MLVIZ_TEST_TRACE"],)


HOSTILE_TABLES = {
    "not a zip": b"hello",
    "empty": b"",
    "no X": npz(y=np.zeros(3)),
    "other names": npz(X=np.zeros((3, 2)), z=np.zeros(3)),
    "traversal": zipped(**{"X_npy": npz(X=np.zeros((3, 2))), "../../evil_npy": b""}),
    "no npy": zipped(X_npy=b"hello"),
    "text": npz(X=np.array([["a", "b"]])),
    "complex": npz(X=np.zeros((3, 2), dtype=complex)),
    "structured": npz(X=np.zeros(3, dtype=[("a", "f8")])),
    "three axes": npz(X=np.zeros((3, 2, 2))),
    "no axes": npz(X=np.float64(3)),
    "no columns": npz(X=np.zeros((2, 0))),
    "not finite": npz(X=np.array([[np.nan, 0.0]])),
    "y of another length": npz(X=np.zeros((3, 2)), y=np.zeros(2)),
    "claims a terabyte": zipped(X_npy=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 2)}\n")),
    "negative": zipped(X_npy=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -2)}\n", bytes(16))),
    "too short": zipped(X_npy=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}\n", bytes(40))),
    "code in the header": zipped(X_npy=npy("__import__('os').abort()\n")),
    "long header": zipped(X_npy=npy("(" * 60_000)),
    "version 3": zipped(X_npy=npy("{}", version=(3, 0))),
    "bomb inside": zipped(zipfile.ZIP_DEFLATED, X_npy=bytes(10_000_000)),
}


@pytest.mark.parametrize("table", HOSTILE_TABLES.values(), ids=HOSTILE_TABLES)
def test_hostile_tables_are_refused(tmp_path, table):
    with pytest.raises(SessionError) as caught:
        load(packed(tmp_path / "a.mlviz", table=table))
    assert str(caught.value).startswith("a.mlviz ")


def test_pickled_arrays_are_never_unpickled(tmp_path, monkeypatch):
    trace = tmp_path / "trace"
    monkeypatch.setenv("MLVIZ_TEST_TRACE", str(trace))
    stream = io.BytesIO()
    np.save(stream, np.array([[Evil(), 1]], dtype=object), allow_pickle=True)
    with pytest.raises(SessionError, match="not a table of numbers"):
        load(packed(tmp_path / "a", table=zipped(X_npy=stream.getvalue())))
    assert not trace.exists()
    # The trap works: NumPy asked to unpickle would have left the trace.
    stream.seek(0)
    np.load(stream, allow_pickle=True)
    assert trace.exists()


def test_members_must_be_exactly_the_two(tmp_path):
    with pytest.raises(SessionError, match=r"data\.npz is missing"):
        load(packed(tmp_path / "a", **{"data.npz": None}))
    with pytest.raises(SessionError, match=r"session\.json is missing"):
        load(packed(tmp_path / "a", **{"session.json": None}))
    for name in ("../evil", "/etc/evil", "C:\\evil", "more.txt", "sub/session.json"):
        with pytest.raises(SessionError, match="do not belong there"):
            load(packed(tmp_path / "a", **{name: b"x"}))
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_member_given_twice_is_refused(tmp_path):
    packed(tmp_path / "a")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(tmp_path / "a", "a") as archive:
        archive.writestr("session.json", b"{}")
    with pytest.raises(SessionError, match="do not belong there"):
        load(tmp_path / "a")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_JSON", 10_000)
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.json", bytes(50_000_000))
        archive.writestr("data.npz", npz(X=np.zeros((3, 2))))
    assert path.stat().st_size < 100_000
    with pytest.raises(SessionError, match=r"too large: session\.json would take 48 MB"):
        load(path)


def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path):
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("session.json", bytes(20_000_000))
        archive.writestr("data.npz", npz(X=np.zeros((3, 2))))
    content = path.read_bytes()
    assert content.count(struct.pack("<I", 20_000_000)) == 2
    path.write_bytes(content.replace(struct.pack("<I", 20_000_000), struct.pack("<I", 1000)))
    with pytest.raises(SessionError, match="damaged"):
        load(path)


def test_other_ways_of_packing_are_refused(tmp_path):
    path = tmp_path / "a"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("session.json", b"{}")
    with pytest.raises(SessionError, match="does not read"):
        load(path)


def test_a_file_larger_than_any_session_is_not_even_opened(tmp_path):
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.truncate(files.MAX_DATA + files.MAX_JSON + 1)
    with pytest.raises(SessionError, match="too large to be a session"):
        load(path)


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path, document):
    save(tmp_path / "whole", document)
    content = (tmp_path / "whole").read_bytes()
    for length in range(0, len(content), 7):
        (tmp_path / "cut").write_bytes(content[:length])
        with pytest.raises(SessionError):
            load(tmp_path / "cut")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=4))
def test_changed_bytes_give_a_session_or_a_sentence(tmp_path, document, changes):
    path = tmp_path / "whole"
    if not path.exists():
        save(path, document)
    content = bytearray(path.read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    (tmp_path / "changed").write_bytes(content)
    with contextlib.suppress(SessionError):  # any other exception fails the test
        assert load(tmp_path / "changed").document.data.n >= 1


@pytest.mark.parametrize("broken", ["fsync", "replace", "chmod"])
def test_a_save_that_fails_leaves_the_old_file_whole(tmp_path, document, monkeypatch, broken):
    path = tmp_path / "a.mlviz"
    save(path, document, {"which": "old"})
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, broken, fail)
        with pytest.raises(SessionError, match=r"could not be saved to .*a\.mlviz: No space left on device"):
            save(path, document.with_seed(1), {"which": "new"})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    save(path, document.with_seed(1), {"which": "new"})
    assert load(path).extra == {"which": "new"}


def test_killed_while_writing_the_target_is_untouched(tmp_path, document, monkeypatch):
    """A kill gives no chance to tidy up: whatever is on the disk at the moment of the rename must be complete."""
    path = tmp_path / "a.mlviz"
    save(path, document, {"which": "old"})
    seen = []
    replace = os.replace

    def watched(source, target):
        seen.append((load(source).extra["which"], load(target).extra["which"]))
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    save(path, document, {"which": "new"})
    assert seen == [("new", "old")]


def test_what_cannot_be_written_as_json_leaves_the_old_file_alone(tmp_path, document):
    path = tmp_path / "a"
    save(path, document, {"which": "old"})
    for extra in ({"x": float("nan")}, {"x": object()}):
        with pytest.raises((TypeError, ValueError)):
            save(path, document, extra)
    assert load(path).extra == {"which": "old"}


def test_half_letters_are_written_as_something_that_can_be_read(tmp_path, document):
    """A file name that is no UTF-8 has them, and whatever was cut in the middle of an emoji and pasted."""
    path = tmp_path / "a.mlviz"
    save(path, document.with_source("gr\udcfc\udcdfe.csv"), {"file": "/a/\udcfc.mlviz"})
    loaded = load(path)
    assert loaded.document.source == "gr\ufffd\ufffde.csv"
    assert loaded.extra == {"file": "/a/\ufffd.mlviz"}


def test_what_would_not_open_is_not_saved(tmp_path, document, monkeypatch):
    monkeypatch.setattr(files, "MAX_DATA", 2**16 + 10)
    with pytest.raises(SessionError, match="too large to be saved"):
        save(tmp_path / "a", document)
    assert list(tmp_path.iterdir()) == []


def test_saving_keeps_permissions_and_follows_links(tmp_path, document):
    path, link = tmp_path / "a", tmp_path / "link"
    save(path, document)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    link.symlink_to(path)
    save(link, document.with_seed(5))
    assert link.is_symlink()
    assert load(path).document.seed == 5
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_saving_into_a_folder_that_is_not_there_is_a_sentence(tmp_path, document):
    with pytest.raises(SessionError, match=r"could not be saved to .*: No such file or directory"):
        save(tmp_path / "no" / "a", document)


def test_colours_of_classes_come_back(tmp_path, document):
    coloured = document.with_colour(1, "#CC79A7")
    save(tmp_path / "a.mlviz", coloured)
    assert load(tmp_path / "a.mlviz").document.colours == ("", "#cc79a7")
    assert coloured.with_colour(1, "").colours == ()


@pytest.mark.parametrize("colours", ["red", ["red"], [3], ["#12345"], ["#000000"] * 65, {"0": "#000000"}])
def test_colours_that_are_none_are_left_out_with_a_notice(tmp_path, colours):
    packed(tmp_path / "a.mlviz", described(colours=colours))
    loaded = load(tmp_path / "a.mlviz")
    assert loaded.document.colours == ()
    assert any("colours" in notice for notice in loaded.notices)
