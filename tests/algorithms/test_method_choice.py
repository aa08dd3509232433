"""A method with its parameters as a value: how it is written, what is refused, and what it can do."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from algorithms import Points, find, fit
from algorithms.calls import parse_call, written_call
from algorithms.method_choice import methods_for, parse_method, serves, written_method
from algorithms.params import Doc, MethodOf, ParamError, json_schema, schema, validated


@dataclass(frozen=True, slots=True)
class Params:
    method: Annotated[str, MethodOf("predictor"), Doc("What is tried.")] = "kernel_svm(C=10.0)"


FIELD = schema(Params)[0]


def test_the_value_is_always_written_in_the_same_way():
    assert (FIELD.kind, FIELD.purpose) == ("method", "predictor")
    for text in (
        "kernel_svm(kernel=linear, C=5)",
        "kernel_svm( C=5.0,kernel='linear',)",
        "kernel_svm(kernel='linear',C=5.0)",
    ):
        assert FIELD.check(text) == "kernel_svm(kernel='linear',C=5.0)" == FIELD.parse(text)
    assert FIELD.check("kernel_svm(C=1)") == FIELD.check("kernel_svm") == "kernel_svm"  # 1 is the default
    assert FIELD.check("mlp(hidden=[3, 2])") == "mlp(hidden=(3, 2))"
    assert FIELD.check(FIELD.check("mlp(hidden=[3, 2])")) == "mlp(hidden=(3, 2))"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("kernel_svn", "There is no algorithm 'kernel_svn'; did you mean 'kernel_svm', 'kernel_lab' or 'kernel_pca'?"),
        ("kernel_svm(C=-1)", "C must be a number from"),
        ("kernel_svm(c=1)", "kernel_svm has no parameter 'c'"),
        ("kernel_svm(C=1,C=2)", "kernel_svm is given C twice."),
        ("kernel_svm(10)", "Every value of kernel_svm needs its name"),
        ("kernel_svm(C=__import__('os'))", "The value of C of kernel_svm must be a number or a word, not a formula."),
        ("kernel_svm(C=", "is not written like"),
        ("k_means", "k-means does not predict a class or a value."),
        ("bias_variance", "Bias and variance does not predict a class or a value."),
    ],
)
def test_what_is_wrong_is_said(text, sentence):
    with pytest.raises(ParamError, match=r"^method cannot be ['\"]") as refused:
        FIELD.check(text)
    assert sentence in str(refused.value)


def test_who_serves_which_purpose():
    for purpose, inside, outside in (
        ("predictor", {"kernel_svm", "linear_regression", "k_nearest"}, {"k_means", "pca", "bias_variance"}),
        ("classifier", {"kernel_svm", "k_nearest"}, {"linear_regression"}),
        ("regression", {"linear_regression", "k_nearest"}, {"kernel_svm"}),
        ("clustering", {"k_means"}, {"kernel_svm"}),
    ):
        found = {method.key for method in methods_for(purpose)}
        assert inside <= found
        assert not outside & found
    assert not serves(find("shortest_paths"), "predictor")


def test_fitting_is_the_method_s_own_run():
    data = Points.of(np.random.default_rng(0).normal(size=(30, 2)), np.repeat([0, 1], 15))
    method = parse_method("logistic_regression(lam=0.1)")
    model = method.fit(data, seed=3)
    own = fit("logistic_regression", data, seed=3, lam=0.1)
    assert np.array_equal(method.predict(model, data.X), own.predict(data.X))
    assert method.with_values(lam=0.5).text == "logistic_regression(lam=0.5)"


def test_it_is_a_text_wherever_parameters_are_kept():
    params = validated(Params, {"method": "decision_tree(depth=2)"})
    assert params.method == "decision_tree(depth=2)"
    assert json_schema(Params)[0]["purpose"] == "predictor"
    assert written_method("decision_tree", {"depth": 2}) == params.method


def test_calls_read_what_they_write():
    values = {"a": 1.5, "b": "two words", "c": (1, 2), "d": True, "e": ((0.0, 1.0),)}
    assert parse_call(written_call("name", values)) == ("name", values)
    assert parse_call("name") == ("name", {}) == parse_call(written_call("name", {}))
