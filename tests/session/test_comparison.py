"""Several settings beside each other in one document, their names, and the step that one has beside another."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

from algorithms import ParamError, find
from algorithms.data import Graph
from mlviz.session.comparison import ALONE, Comparison, Setting, names_of, other_value, step_beside
from mlviz.session.document import Document
from mlviz.session.files import load, save
from mlviz.session.history import History


@pytest.fixture
def document(data):
    return Document(data, "first", {"k": 5}, seed=1)


@pytest.fixture
def three(document):
    return document.beside(Setting("first", {"k": 7}, 1)).beside(Setting("second", {}, 4))


def keys(document):
    return [(setting.algorithm, setting.seed) for setting in document.settings]


def test_a_setting_beside_another_is_the_one_in_hand(document):
    two = document.beside(Setting("second", {"depth": 4}, 9))
    assert (two.algorithm, dict(two.params), two.seed) == ("second", {"depth": 4}, 9)
    assert [setting.algorithm for setting in two.settings] == ["first", "second"]
    assert two.comparison.place == 1
    assert two.data is document.data
    assert document.comparison is ALONE
    assert two.changes(document) == {"algorithm", "params", "seed", "comparison"}


def test_any_setting_can_be_taken_in_hand_and_none_moves(three):
    for place in range(3):
        taken = three.with_active(place)
        assert taken.settings == three.settings
        assert taken.setting == three.settings[place]
        assert taken.at(0).changes(three.at(0)) == frozenset()
        assert taken.at(1).comparison is ALONE


def test_one_goes_and_the_one_in_hand_stays_or_its_neighbour_comes(three):
    assert keys(three.without(0)) == [("first", 1), ("second", 4)]
    assert three.without(0).algorithm == "second"
    assert three.without(2).params["k"] == 7
    assert three.with_active(0).without(0).params["k"] == 7
    last = three.without(0).without(0)
    assert (last.algorithm, last.comparison) == ("second", ALONE)
    assert last.without(0) is last
    assert three.with_active(1).alone().params["k"] == 7


def test_a_change_of_the_one_in_hand_leaves_the_others(three):
    changed = three.with_params(depth=5)
    assert changed.settings[:2] == three.settings[:2]
    assert three.with_data(three.data.renamed("other")).settings == three.settings
    assert three.with_algorithm("first").settings[2].algorithm == "first"


def test_no_more_than_four(three):
    four = three.beside(Setting("first"))
    assert len(four.settings) == 4
    with pytest.raises(ValueError, match="At most 4 settings"):
        four.beside(Setting("first"))


@pytest.mark.parametrize("wrong", [{"place": 1}, {"place": -1}, {"clock": "minute"}])
def test_a_comparison_is_checked(wrong):
    with pytest.raises(ValueError, match=r"no place|by step or by fraction"):
        Comparison(**wrong)


def test_settings_are_checked():
    with pytest.raises(ParamError, match="k must be a whole number"):
        Setting("first", {"k": 99})
    with pytest.raises(ValueError, match="seed must be a whole number"):
        Setting("first", {}, -1)


def test_settings_that_cannot_take_the_data_go(data):
    comparison = Comparison((Setting("first", {"k": 7}), Setting("second")), 2)
    assert comparison.on(data) is comparison
    assert comparison.on(Graph(3, np.array([[0, 1]]))) == Comparison((), 0)


def test_undo_takes_a_board_away_and_what_is_in_hand_is_no_step(document):
    history = History(document)
    history.push(document.beside(Setting("second")), label="compare")
    history.amend(history.current.with_active(0))
    assert history.current.algorithm == "first"
    assert history.undo() is document
    assert len(history.redo().settings) == 2


def test_names_say_what_differs(three, document):
    assert names_of(three.settings) == ("k = 5 · First", "k = 7 · First", "Second")
    seeds = document.beside(Setting("first", {"k": 5}, 8))
    assert names_of(seeds.settings) == ("seed 1 · First", "seed 8 · First")
    assert names_of(document.beside(Setting("first", {"k": 5}, 1)).settings) == ("First", "First")
    chosen = document.beside(Setting("first", {"k": 5, "tol": 0.25, "centres": [[1, 2]]}, 1))
    assert names_of(chosen.settings)[1] == "tol = 0.25 · centres = by hand · First"


def test_names_that_do_not_fit_lose_what_all_have_in_common_and_keep_what_differs(document):
    several = document.beside(Setting("first", {"k": 7}, 1)).beside(Setting("first", {"k": 7}, 2)).settings

    def within(letters):
        return names_of(several, lambda names: max(map(len, names)) <= letters)

    assert within(30) == ("k = 5 · seed 1 · First", "k = 7 · seed 1 · First", "k = 7 · seed 2 · First")
    assert within(20) == ("k = 5 · seed 1", "k = 7 · seed 1", "k = 7 · seed 2")
    assert within(10) == ("k=5 seed1", "k=7 seed1", "k=7 seed2")
    mixed = document.beside(Setting("second", {}, 1)).settings
    assert names_of(mixed, lambda _: False) == ("First", "Second")


def test_the_step_of_one_run_beside_another():
    assert [step_beside("step", step, 20, 8) for step in (0, 5, 7, 19)] == [0, 5, 7, 7]
    assert [step_beside("fraction", step, 21, 11) for step in (0, 5, 10, 20)] == [0, 2, 5, 10]
    assert step_beside("fraction", 0, 1, 5) == 0
    assert step_beside("step", 3, 9, 0) == 0


def test_another_value_is_allowed_and_another_one():
    fields = {field.name: field for field in find("first").fields}
    assert other_value(fields["k"], 3) == 6
    assert other_value(fields["k"], 20) == 10
    assert other_value(fields["tol"], 0.5) == 1.0
    assert other_value(fields["init"], "near") == "far"
    assert other_value(fields["init"], "far") == "near"
    assert other_value(fields["centres"], ()) is None


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_comparison_comes_back(tmp_path, three):
    three = three.with_active(1).compared(clock="fraction", difference=True)
    save(tmp_path / "a.mlviz", three)
    loaded = load(tmp_path / "a.mlviz")
    assert loaded.notices == []
    assert loaded.document.settings == three.settings
    assert loaded.document.comparison == three.comparison


def changed(path, **comparison):
    """The session with another description of what stands beside."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    raw = json.loads(members["session.json"])
    raw["comparison"] |= comparison
    members["session.json"] = json.dumps(raw).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return load(path)


SETTING = {"algorithm": "second", "params": {"depth": 3}, "seed": 2}


@pytest.mark.parametrize(
    ("described", "count", "notices"),
    [
        ({"others": [SETTING] * 40}, 4, 0),
        ({"others": [SETTING, {"algorithm": "third", "params": {}, "seed": 0}]}, 2, 1),
        ({"others": [{"algorithm": "second", "params": [], "seed": 0}, 7]}, 1, 2),
        ({"others": [SETTING | {"params": {"depth": 99}, "seed": "x"}]}, 2, 2),
        ({"others": {"a": 1}}, 1, 0),
        ({"others": [SETTING], "place": 9, "clock": "minute", "difference": "yes"}, 2, 0),
        ({"others": [SETTING], "place": None, "clock": ["step"], "difference": 1}, 2, 0),
    ],
)
def test_whatever_a_file_says_stays_bounded_and_checked(tmp_path, document, described, count, notices):
    save(tmp_path / "a.mlviz", document)
    loaded = changed(tmp_path / "a.mlviz", **described)
    assert len(loaded.document.settings) == count
    assert len(loaded.notices) == notices
    assert loaded.document.setting == document.setting
    assert (loaded.document.comparison.clock, loaded.document.comparison.difference) == ("step", False)
