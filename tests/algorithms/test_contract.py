"""Every contract check on every algorithm the registry finds: a new file is tested before it has tests of its own."""

import re
from pathlib import Path

import numpy as np
import pytest

from algorithms import DataError, Fit, Points, _skeleton, all_algorithms, find, fit, registry
from algorithms._checks import cases, examples
from algorithms.checks import ALL_CHECKS
from mlviz.data.spec import example_of

POINTS = [algorithm for algorithm in all_algorithms() if Points in algorithm.accepts]


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_contract(algorithm, check):
    check(algorithm)


METHODS = Path(registry.__file__).parent
OLD_FORM = re.compile(r"DrawnSnapshot|LazyViews|LazyCaption|class (Scene|Picture|Context)\b|def _?frame\(")


def test_no_method_draws_or_says_its_own_frames():
    """The old form, in which a run made pictures and sentences, has gone: from the methods and from the contract."""
    rooms = [path for path in METHODS.rglob("*.py") if "maths" not in path.relative_to(METHODS).parts]
    assert len(rooms) > 100
    found = [f"{path.name}: {old[0]}" for path in rooms for old in OLD_FORM.finditer(path.read_text(encoding="utf-8"))]
    assert found == []


MOST_RUNS, MOST_FRAMES = 40, 5_000
"""What the general checks may have to look at for one method: with eighty of them the tests still take minutes."""


@pytest.mark.parametrize("algorithm", all_algorithms(), ids=lambda algorithm: algorithm.key)
def test_what_the_checks_look_at_is_not_too_much(algorithm):
    runs = cases.recordings(algorithm)
    assert len(runs) <= MOST_RUNS
    assert sum(len(run.frames) for run in runs) <= MOST_FRAMES


@pytest.mark.parametrize("algorithm", POINTS, ids=lambda algorithm: algorithm.key)
def test_points_with_other_features_are_refused(algorithm):
    ask_with_other_features(algorithm)


def test_a_model_that_took_them_would_be_noticed(monkeypatch):
    monkeypatch.setattr(Fit, "_checked", lambda self, X: X)
    with pytest.raises((pytest.fail.Exception, ValueError, IndexError)):
        ask_with_other_features(find("k_means"))


def ask_with_other_features(algorithm):
    """Whatever a fitted model is asked about points with more or fewer features, the answer is a sentence."""
    data = examples.blobs(algorithm)
    fitted = fit(algorithm.key, data)
    for name in ("predict", "field", "transform", "explain"):
        if getattr(algorithm, name) is None:
            continue
        for d in (data.d - 1, data.d + 1):
            points = np.ones((3, d))
            with pytest.raises(DataError, match=rf"fitted on {data.d} features; these points have {d}\."):
                getattr(fitted, name)(points[0] if name == "explain" else points)


@pytest.mark.parametrize("algorithm", [*all_algorithms(), _skeleton.ALGORITHM], ids=lambda algorithm: algorithm.key)
def test_the_example_exists_and_suits_the_algorithm(algorithm):
    """What the gallery loads beside an algorithm must be something it can begin with."""
    data = example_of(algorithm)
    assert algorithm.takes(data)
    assert algorithm.target != "classes" or data.is_labelled
    assert algorithm.target != "values" or data.is_valued
    first = next(algorithm.start(data, algorithm.params(), seed=0))
    assert first.views[algorithm.panels_on(data)[0].key]
