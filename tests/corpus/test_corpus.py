"""Some of the bad files of ``make corpus``, read by one process that lives on."""

import itertools
from pathlib import Path

from tests.corpus.mutations import corpus
from tests.corpus.reader import Reader, outcome
from tests.corpus.seeds import seeds

MANY = (".csv", ".tsv", ".json")
"""Endings that can mean many things, of which a file is one."""
DEAR = (".xlsx", ".ods", ".xls", ".mat", ".png", ".jpg", ".jpeg")
"""Read in a process of its own, of which each takes a good part of a second."""


def test_bad_files_give_one_sentence_or_are_read(tmp_path):
    files = [(name, content) for name, content in corpus(tmp_path, 3) if not name.endswith(DEAR)]
    assert len(files) > 150
    with Reader() as asked:
        for name, content in files:
            path = tmp_path / name
            path.write_bytes(content)
            answer = asked.ask(path)
            assert not answer.fault, f"{name}: {answer.fault}"


def test_good_files_are_read(tmp_path):
    for name, content in seeds(tmp_path).items():
        if not name.endswith(DEAR):
            path = tmp_path / name
            path.write_bytes(content)
            said, fault = outcome(path)
            assert not fault
            assert Path(name).suffix in MANY or not said or "is not numeric" in said, f"{name}: {said}"


def test_the_corpus_is_large_and_always_the_same(tmp_path):
    names = [name for name, _ in corpus(tmp_path, 40)]
    assert len(names) == len(set(names)) > 1000
    first, again = (list(itertools.islice(corpus(tmp_path, 2), 200)) for _ in range(2))
    assert first == again


def test_a_reader_that_dies_is_a_fault_and_the_next_file_is_read(tmp_path):
    good = tmp_path / "good.csv"
    good.write_text("a,b\n1,2\n3,4\n")
    with Reader() as asked:
        asked._process.kill()
        asked._process.wait()
        assert asked.ask(good).fault
        assert asked.ask(good).fault == ""


def test_what_is_no_sentence_is_a_fault(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    monkeypatch.setattr("mlviz.data.files.read_data", lambda *_, **__: 1 / 0)
    assert outcome(path)[1].startswith("ZeroDivisionError")
