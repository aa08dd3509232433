"""A file that is refused leaves the document as it was, and says why."""

import sys

import pytest

from mlviz.session.files import save
from tests.corpus.reader import outcome
from tests.corpus.seeds import crafted


def test_a_refused_file_leaves_the_document(window, qtbot, tmp_path):
    before, count = window.document, 0
    for name, content in crafted():
        path = tmp_path / name
        if path.suffix not in (".gml", ".graphml", ".net", ".adj", ".mlviz"):
            continue
        path.write_bytes(content)
        if outcome(path)[0]:
            count += 1
            window.files.open_path(path)
            qtbot.waitUntil(lambda: window.data_controller._reading is None)
            assert window.document is before, name
            assert window.statusBar().currentMessage(), name
    assert count > 20


@pytest.mark.skipif(sys.platform != "linux", reason="where the name of a file may have line breaks")
def test_the_name_of_a_file_is_said_in_one_line(window, qtbot, tmp_path):
    window.files.may_close = lambda: True
    for name, content in (("a\n\x1b[31m.gml", b"graph [ node [ id 1 ] node [ id 2 ] ]"), ("b\n\x1b[31m.mlviz", b"")):
        path = tmp_path / name
        if content:
            path.write_bytes(content)
        else:
            save(path, window.document)
        window.files.open_path(path)
        qtbot.waitUntil(lambda start=f"Opened {name[0]}": window.statusBar().currentMessage().startswith(start))
        assert window.statusBar().currentMessage().isprintable()
