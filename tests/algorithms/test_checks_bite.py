"""A check that cannot fail is worthless: each one is shown to catch its fault, and to be the only one that does."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from algorithms import Stop, _skeleton, find
from algorithms._checks import cases
from algorithms._checks.answers import check_predict_agrees_with_field
from algorithms._checks.declaration import check_identity, check_schema
from algorithms._checks.skill import check_permuted_rows, check_skill
from algorithms.checks import ALL_CHECKS, ContractError
from algorithms.contract import Algorithm, Count, Line, Metric, Panel, Question, Try
from algorithms.marks import Assignment
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
    "check_help": {
        "no formula": replace(faulty.CORRECT, formulas=()),
        "one thing to try": replace(faulty.CORRECT, tries=faulty.CORRECT.tries[:1]),
        "dollars": replace(faulty.CORRECT, formulas=("$x$",)),
        "braces": replace(faulty.CORRECT, formulas=(r"\frac{1}{n",)),
        "no sentence": replace(faulty.CORRECT, tries=(Try("more points"),) * 2),
        "no data": replace(faulty.CORRECT, tries=(Try("More points.", "many points"),) * 2),
        "no parameter": replace(faulty.CORRECT, tries=(Try("More.", params={"more": 1}),) * 2),
    },
    "check_bad_values_are_refused": {
        "credulous": faulty.of_class(faulty.Credulous),
        "nameless": faulty.of_class(faulty.Nameless),
    },
    "check_pseudocode": {
        "unlit phase": replace(faulty.CORRECT, run=faulty.run_unlit_phase, captions=faulty.LENIENT),
        "dead line": replace(
            faulty.CORRECT,
            pseudocode=(*faulty.CORRECT.pseudocode, Line("prune", "prune")),
            captions={**faulty.CAPTIONS, "prune": faulty.tell_start},
        ),
        "placeholder": replace(faulty.CORRECT, pseudocode=(*faulty.CORRECT.pseudocode, Line("J = {J}"))),
        "braces": replace(faulty.CORRECT, pseudocode=(*faulty.CORRECT.pseudocode, Line("J = {"))),
    },
    "check_first_frame_is_the_initial_state": {
        "learned": replace(faulty.CORRECT, run=faulty.run_learned_first, resumes=False),
        "late": replace(faulty.CORRECT, run=faulty.run_begins_late),
        "empty": replace(faulty.CORRECT, views=faulty.views_of_nothing_first),
    },
    "check_terminates_and_says_why": {
        "no stop": replace(faulty.CORRECT, run=faulty.run_without_stop, resumes=False),
        "no end": replace(faulty.CORRECT, run=faulty.run_without_end, resumes=False),
        "a lecture": replace(faulty.CORRECT, run=faulty.run_with_a_lecture),
        "the usual words": replace(faulty.CORRECT, run=faulty.run_with_usual_words),
        "a limit far away": replace(faulty.CORRECT, run=faulty.run_blames_the_limit, params=faulty.Limited),
    },
    "check_can_be_closed_at_any_yield": {
        "clings": replace(faulty.CORRECT, run=faulty.run_that_clings),
        "thread": replace(faulty.CORRECT, run=faulty.run_with_a_thread),
    },
    "check_same_seed_same_frames": {"memory": replace(faulty.CORRECT, run=faulty.run_with_a_memory)},
    "check_frames_are_immutable": {
        "overwrites": replace(faulty.CORRECT, run=faulty.run_that_overwrites),
        "list": replace(faulty.CORRECT, run=faulty.run_with_a_list),
        "list to show": replace(faulty.CORRECT, run=faulty.run_with_a_list_to_show),
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
        "infinite": replace(faulty.CORRECT, run=faulty.run_infinite_metric),
        "never known": replace(faulty.CORRECT, run=faulty.run_metric_is_never_known),
        "label": replace(faulty.CORRECT, metrics=(Metric("errors", ""),)),
    },
    "check_captions": {
        "empty": replace(faulty.CORRECT, captions={**faulty.CAPTIONS, "learn": faulty.tell_nothing}),
        "warning": replace(faulty.CORRECT, warning=faulty.warn_half_a_sentence),
    },
    "check_captions_by_phase": {
        "one too many": replace(faulty.CORRECT, captions={**faulty.CAPTIONS, "prune": faulty.tell_start}),
    },
    "check_telling_is_pure": {
        "views": replace(faulty.CORRECT, views=faulty.views_with_a_memory),
        "warning": replace(faulty.CORRECT, warning=faulty.warn_with_a_memory),
    },
    "check_frames_keep_little": {
        "a table of all pairs": replace(faulty.CORRECT, run=faulty.run_with_a_table),
        "copies": replace(faulty.CORRECT, run=faulty.run_with_copies),
    },
    "check_bad_data_are_refused_at_once": {"late": replace(faulty.CORRECT, run=faulty.run_refuses_late)},
    "check_questions": {
        "one": replace(faulty.CORRECT, questions=faulty.CORRECT.questions[:1]),
        "no such answer": replace(
            faulty.CORRECT, questions=(*faulty.CORRECT.questions, Question("Who?", "learn", "shown.nobody"))
        ),
        "no such phase": replace(
            faulty.CORRECT, questions=(*faulty.CORRECT.questions, Question("Who?", "prune", "shown.learned"))
        ),
        "always the same": replace(
            faulty.CORRECT, questions=(*faulty.CORRECT.questions, Question("Where are the points?", "learn", "given.X"))
        ),
        "told before": replace(faulty.CORRECT, run=faulty.run_and_tell_the_next),
    },
    "check_counts": {
        "another step": replace(faulty.CORRECT, captions=dict.fromkeys(faulty.CAPTIONS, faulty.tell_steps_from_seven)),
        "another epoch": replace(
            faulty.CORRECT,
            captions={**faulty.CAPTIONS, "learn": faulty.tell_epoch_seven},
            count=Count("epoch", "means.ndim"),
        ),
    },
    "check_views": {
        "other panel": replace(faulty.CORRECT, views=faulty.views_in_other_panel),
        "unused panel": replace(faulty.CORRECT, panels=(*faulty.CORRECT.panels, Panel("loss", "Loss"))),
        "two planes": replace(faulty.CORRECT, panels=(*faulty.CORRECT.panels, Panel("more", "Data", space="data"))),
        "no such point": replace(faulty.CORRECT, views=faulty.views_of_missing_points),
        "short": replace(faulty.CORRECT, views=faulty.views_short_of_one),
        "two of five features": replace(faulty.CORRECT, views=faulty.views_flat),
        "own mark": replace(faulty.CORRECT, views=faulty.views_own_mark),
        "another space": replace(faulty.CORRECT, views=faulty.views_in_another_space),
        "a field on plain axes": replace(faulty.CORRECT, views=faulty.views_field_on_axes),
        "isolines without a faulty.field": replace(faulty.CORRECT, views=faulty.views_isolines, field=None),
    },
    "check_predict_and_field_shapes": {
        "column": replace(faulty.CORRECT, predict=faulty.predict_column),
        "squeezed": replace(faulty.CORRECT, predict=faulty.predict_squeezed),
        "beyond": replace(faulty.CORRECT, predict=faulty.predict_beyond),
        "relative": replace(faulty.CORRECT, field=faulty.field_relative),
        "not finite": replace(faulty.CORRECT, field=faulty.field_not_finite),
    },
    "check_explain": {
        "nothing": replace(faulty.CORRECT, explain=faulty.explain_nothing),
        "array": replace(faulty.CORRECT, explain=faulty.explain_with_array),
        "not finite": replace(faulty.CORRECT, explain=faulty.explain_nan),
        "only the first": replace(faulty.CORRECT, explain=faulty.explain_the_first),
        "not at all": replace(faulty.CORRECT, explain=None),
    },
    "check_fit_many": {
        "other models": replace(faulty.CORRECT, fit_many=faulty.fit_many_upside_down),
        "too few": replace(faulty.CORRECT, fit_many=faulty.fit_none),
    },
    "check_looks": {
        "memory": replace(faulty.CORRECT, looks=True, views=faulty.views_of_item_with_a_memory),
        "other words": replace(faulty.CORRECT, looks=True, captions={**faulty.CAPTIONS, "learn": faulty.tell_of_item}),
        "other panel": replace(faulty.CORRECT, looks=True, views=faulty.views_of_item_elsewhere),
        "blind": replace(faulty.CORRECT, looks=True),
        "no such point": replace(faulty.CORRECT, looks=True, views=faulty.views_of_nobody),
    },
    "check_predict_agrees_with_field": {
        "decision": replace(faulty.CORRECT, field=faulty.field_opposite),
        "negative": replace(faulty.CORRECT, scores="probability"),
        "density": replace(faulty.CORRECT, scores="density"),
    },
    "check_transform_and_sample": {
        "flat": replace(faulty.CORRECT, transform=faulty.transform_flat),
        "centred": replace(faulty.CORRECT, transform=faulty.transform_centred),
        "short": replace(faulty.CORRECT, transform=faulty.transform, inverse=faulty.inverse_short),
        "one more": replace(faulty.CORRECT, sample=faulty.sample_one_more),
        "unseeded": replace(faulty.CORRECT, sample=faulty.sample_unseeded),
        "too many features": replace(faulty.CORRECT, sample=faulty.sample_flat),
        "another kind": replace(faulty.CORRECT, sample=faulty.sample_nothing),
    },
    "check_counterpart": {
        "no Python": replace(faulty.CORRECT, counterpart=faulty.counterpart_unfinished),
        "caveat": replace(faulty.CORRECT, counterpart=faulty.counterpart_muttering),
    },
    "check_skill": {
        "next class": replace(faulty.CORRECT, predict=faulty.predict_the_next, field=faulty.field_of_the_next)
    },
    "check_permuted_rows": {"by appearance": replace(faulty.CORRECT, run=faulty.run_by_appearance)},
    "check_pickles": {
        "lambda": replace(faulty.CORRECT, field=faulty.field_lambda()),
        "a caption that cannot be imported": replace(
            faulty.CORRECT, captions={**faulty.CAPTIONS, "start": lambda _: "It begins."}
        ),
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


OFFERING = replace(
    faulty.CORRECT,
    transform=faulty.transform,
    sample=faulty.sample,
    counterpart=faulty.counterpart,
    looks=True,
    views=faulty.views_of_item,
    fit_many=faulty.fit_many,
)
"""The correct algorithm with everything that an algorithm may offer."""


@pytest.mark.parametrize(
    "algorithm",
    [faulty.CORRECT, OFFERING, _skeleton.ALGORITHM],
    ids=["tiny", "offering", "skeleton"],
)
@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
def test_a_correct_algorithm_passes(check, algorithm):
    check(algorithm)


@pytest.mark.parametrize(("name", "algorithm"), CASES)
def test_exactly_the_right_check_catches_the_fault(name, algorithm):
    assert failing(algorithm) == {name}


def test_the_skill_of_a_regression_is_looked_at():
    linear = find("linear_regression")
    check_skill(linear)
    with pytest.raises(ContractError, match="only 0% right"):
        check_skill(replace(linear, predict=lambda model, X: np.full(len(X), linear.predict(model, X).mean())))


def test_the_skill_of_a_clustering_is_looked_at():
    def shuffled(shot):
        return {"plane": (Assignment(np.random.default_rng(0).integers(0, 3, shot.given.n)),)}

    check_skill(find("k_means"))
    with pytest.raises(ContractError, match="answers are only"):
        check_skill(replace(find("k_means"), views=shuffled))


def test_a_value_must_be_the_predicted_one():
    linear = find("linear_regression")
    check_predict_agrees_with_field(linear)
    with pytest.raises(ContractError, match="predict gives another"):
        check_predict_agrees_with_field(replace(linear, predict=lambda model, X: 1.001 * linear.predict(model, X)))


def test_a_metric_that_is_not_known_yet_is_not_a_number():
    late = replace(faulty.CORRECT, run=faulty.run_metric_is_known_late)
    assert failing(late) == set()


def test_metrics_are_compared_where_there_are_no_answers():
    """Isomap answers nothing; here a metric of it depends on which point is the first."""

    def first_row(data, params, rng, start=None):
        for frame in find("isomap").run(data, params, rng, start):
            yield replace(frame, metrics={**frame.metrics, "residual": float(data.X[0, 0])})
        return Stop.COMPLETE

    assert "residual" in {metric.name for metric in find("isomap").metrics}
    check_permuted_rows(find("isomap"))
    with pytest.raises(ContractError, match="another order"):
        check_permuted_rows(replace(find("isomap"), run=first_row))


@pytest.mark.parametrize("sentence", UNFINISHED)
def test_an_unfinished_declaration_is_explained(sentence):
    with pytest.raises(ContractError, match=rf"incomplete: .*\.width {sentence}"):
        check_schema(UNFINISHED[sentence])


def test_the_family_must_be_the_package(monkeypatch):
    monkeypatch.setattr(faulty.run, "__module__", "algorithms.clustering.faulty")
    with pytest.raises(ContractError, match="family is 'classification' but the package is 'clustering'"):
        check_identity(faulty.CORRECT)
