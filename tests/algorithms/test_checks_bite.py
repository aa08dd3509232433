"""A check that cannot fail is worthless: each one is shown to catch its fault, and to be the only one that does."""

import threading
from dataclasses import replace

import pytest

from algorithms import _skeleton
from algorithms._checks import cases
from algorithms._checks.declaration import check_identity, check_schema
from algorithms.checks import ALL_CHECKS, ContractError
from algorithms.contract import Algorithm, Line, Metric, Panel
from tests.algorithms import faulty

FAULTS: dict[str, dict[str, Algorithm]] = {
    "check_identity": {
        "key": replace(faulty.CORRECT, key="nearest_mean"),
        "family": replace(faulty.CORRECT, family="astrology"),
        "summary": replace(faulty.CORRECT, summary="nearest mean"),
        "reference": replace(faulty.CORRECT, reference=" "),
        "example": replace(faulty.CORRECT, example="some blobs"),
    },
    "check_schema": {
        "log": replace(faulty.CORRECT, params=faulty.LogFromZero),
        "when": replace(faulty.CORRECT, params=faulty.WaitsForNothing),
        "thawed": replace(faulty.CORRECT, params=faulty.Thawed),
    },
    "check_bad_values_are_refused": {
        "credulous": faulty.of_class(faulty.Credulous),
        "nameless": faulty.of_class(faulty.Nameless),
    },
    "check_pseudocode": {
        "unlit phase": replace(faulty.CORRECT, run=faulty.run_unlit_phase),
        "dead line": replace(faulty.CORRECT, pseudocode=(*faulty.CORRECT.pseudocode, Line("prune", "prune"))),
        "placeholder": replace(faulty.CORRECT, pseudocode=(*faulty.CORRECT.pseudocode, Line("J = {J}"))),
        "braces": replace(faulty.CORRECT, pseudocode=(*faulty.CORRECT.pseudocode, Line("J = {"))),
    },
    "check_first_frame_is_the_initial_state": {
        "learned": replace(faulty.CORRECT, run=faulty.run_learned_first, resumes=False),
        "late": replace(faulty.CORRECT, run=faulty.run_begins_late),
        "empty": replace(faulty.CORRECT, run=faulty.run_shows_nothing_first),
    },
    "check_terminates_and_says_why": {
        "no stop": replace(faulty.CORRECT, run=faulty.run_without_stop, resumes=False),
        "no end": replace(faulty.CORRECT, run=faulty.run_without_end, resumes=False),
    },
    "check_can_be_closed_at_any_yield": {
        "clings": replace(faulty.CORRECT, run=faulty.run_that_clings),
        "thread": replace(faulty.CORRECT, run=faulty.run_with_a_thread),
    },
    "check_same_seed_same_frames": {"memory": replace(faulty.CORRECT, run=faulty.run_with_a_memory)},
    "check_frames_are_immutable": {
        "overwrites": replace(faulty.CORRECT, run=faulty.run_that_overwrites),
        "list": replace(faulty.CORRECT, run=faulty.run_with_a_list),
        "painter": replace(faulty.CORRECT, run=faulty.run_with_a_painter),
        "thawed model": replace(faulty.CORRECT, run=faulty.run_with_thawed_model),
    },
    "check_data_and_global_state_untouched": {
        "numpy": replace(faulty.CORRECT, run=faulty.run_global_numpy),
        "python": replace(faulty.CORRECT, run=faulty.run_global_python),
        "error state": replace(faulty.CORRECT, run=faulty.run_silences_numpy),
        "data": replace(faulty.CORRECT, run=faulty.run_touches_data),
        "query": replace(faulty.CORRECT, predict=faulty.predict_shifts_in_place),
    },
    "check_metrics": {
        "names": replace(faulty.CORRECT, run=faulty.run_other_metrics),
        "not finite": replace(faulty.CORRECT, run=faulty.run_nan_metric),
        "label": replace(faulty.CORRECT, metrics=(Metric("errors", ""),)),
    },
    "check_captions": {
        "empty": replace(faulty.CORRECT, run=faulty.run_without_caption),
        "warning": replace(faulty.CORRECT, run=faulty.run_half_a_sentence),
    },
    "check_views": {
        "other panel": replace(faulty.CORRECT, run=faulty.run_other_panel),
        "unused panel": replace(faulty.CORRECT, panels=(*faulty.CORRECT.panels, Panel("loss", "Loss"))),
        "two planes": replace(faulty.CORRECT, panels=(*faulty.CORRECT.panels, Panel("more", "Data", space="data"))),
        "no such point": replace(faulty.CORRECT, run=faulty.run_missing_points),
        "short": replace(faulty.CORRECT, run=faulty.run_short_assignment),
        "own mark": replace(faulty.CORRECT, run=faulty.run_own_mark),
        "another space": replace(faulty.CORRECT, run=faulty.run_in_another_space),
        "a field on plain axes": replace(faulty.CORRECT, run=faulty.run_field_on_axes),
        "isolines without a faulty.field": replace(faulty.CORRECT, run=faulty.run_isolines, field=None),
    },
    "check_predict_and_field_shapes": {
        "column": replace(faulty.CORRECT, predict=faulty.predict_column),
        "squeezed": replace(faulty.CORRECT, predict=faulty.predict_squeezed),
        "from one": replace(faulty.CORRECT, predict=faulty.predict_from_one),
        "relative": replace(faulty.CORRECT, field=faulty.field_relative),
        "not finite": replace(faulty.CORRECT, field=faulty.field_not_finite),
    },
    "check_explain": {
        "nothing": replace(faulty.CORRECT, explain=faulty.explain_nothing),
        "array": replace(faulty.CORRECT, explain=faulty.explain_with_array),
        "not finite": replace(faulty.CORRECT, explain=faulty.explain_nan),
    },
    "check_pickles": {
        "lambda": replace(faulty.CORRECT, field=faulty.field_lambda()),
        "forgets": replace(faulty.CORRECT, run=faulty.run_forgets),
    },
    "check_degenerate_data": {
        "divides": replace(faulty.CORRECT, run=faulty.run_divides),
        "asserts": replace(faulty.CORRECT, run=faulty.run_asserts),
        "mutters": replace(faulty.CORRECT, run=faulty.run_mutters),
    },
    "check_extreme_parameters": {"dislikes one": replace(faulty.CORRECT, run=faulty.run_dislikes_zero)},
    "check_going_on_from_a_model": {
        "starts again": replace(faulty.CORRECT, run=faulty.run_starts_again),
        "live": replace(faulty.CORRECT, params=faulty.AlwaysLive, resumes=False),
        "moved": replace(faulty.CORRECT, run=faulty.run_needs_same_points),
    },
}
"""For every check, by name, the algorithms that it and no other check must catch."""

UNFINISHED = {
    "has no Doc": replace(faulty.CORRECT, params=faulty.WithoutDoc),
    "has no Between": replace(faulty.CORRECT, params=faulty.WithoutRange),
}
"""Declarations so unfinished that nothing can be faulty.run, with what ``check_schema`` must say."""

CASES = [
    pytest.param(name, algorithm, id=f"{name.removeprefix('check_')}-{fault}")
    for name, faults in FAULTS.items()
    for fault, algorithm in faults.items()
]


@pytest.fixture(autouse=True)
def small_cases(monkeypatch):
    """A run without end is found sooner, and the threads a fault leaves behind are let go."""
    monkeypatch.setattr(cases, "ENDLESS", 300)
    faulty.GATE.clear()
    yield
    faulty.GATE.set()
    for thread in threading.enumerate():
        if thread.name == "faulty":
            thread.join()


def failing(algorithm):
    """The names of the checks that the algorithm fails, whatever they raise."""
    names = set()
    for check in ALL_CHECKS:
        try:
            check(algorithm)
        except Exception:
            names.add(check.__name__)
    return names


def test_every_check_is_shown_to_bite():
    assert {check.__name__ for check in ALL_CHECKS} == set(FAULTS)


@pytest.mark.parametrize("algorithm", [faulty.CORRECT, _skeleton.ALGORITHM], ids=["tiny", "skeleton"])
@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
def test_a_correct_algorithm_passes(check, algorithm):
    check(algorithm)


@pytest.mark.parametrize(("name", "algorithm"), CASES)
def test_exactly_the_right_check_catches_the_fault(name, algorithm):
    assert failing(algorithm) == {name}


@pytest.mark.parametrize("sentence", UNFINISHED)
def test_an_unfinished_declaration_is_explained(sentence):
    with pytest.raises(ContractError, match=rf"incomplete: .*\.width {sentence}"):
        check_schema(UNFINISHED[sentence])


def test_the_family_must_be_the_package(monkeypatch):
    monkeypatch.setattr(faulty.run, "__module__", "algorithms.clustering.faulty")
    with pytest.raises(ContractError, match="family is 'classification' but the package is 'clustering'"):
        check_identity(faulty.CORRECT)
