"""A file that is refused leaves the document as it was, and says why."""

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
