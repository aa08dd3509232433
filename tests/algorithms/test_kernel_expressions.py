"""Kernels as expressions: what they mean, what is refused and where, and what the rules know."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.maths.expressions import MAX_LETTERS, ExpressionError
from algorithms.maths.kernel_expressions import parse_kernel
from algorithms.maths.kernels import Gaussian, Laplacian, Linear, Polynomial, Sigmoid
from algorithms.params import ParamError
from algorithms.registry import find

X = np.random.default_rng(0).normal(size=(20, 2))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("linear", Linear()(X, X)),
        ("poly", Polynomial(2, 1.0)(X, X)),
        ("polynomial(3)", Polynomial(3, 1.0)(X, X)),
        ("poly(offset=0.5, degree=3)", Polynomial(3, 0.5)(X, X)),
        ("rbf(sigma=2)", Gaussian(2.0)(X, X)),
        ("Gaussian(2)", Gaussian(2.0)(X, X)),
        ("laplacian(0.5)", Laplacian(0.5)(X, X)),
        ("sigmoid(1, 1)", Sigmoid(1.0, 1.0)(X, X)),
        ("0.5*rbf(sigma=1) + poly(degree=2)", 0.5 * Gaussian()(X, X) + Polynomial(2)(X, X)),
        ("2 + 3*linear^2/4", 2 + 0.75 * Linear()(X, X) ** 2),
        ("-linear - 1", -Linear()(X, X) - 1),
        ("(linear + 1)**2", Polynomial(2, 1.0)(X, X)),
        ("exp(linear) * abs(linear)", np.exp(X @ X.T) * np.abs(X @ X.T)),
        ("linear - rbf - 1", Linear()(X, X) - Gaussian()(X, X) - 1),
        ("3", np.full((20, 20), 3.0)),
        ("1e-1*linear", 0.1 * Linear()(X, X)),
    ],
)
def test_what_an_expression_means(text, wanted):
    assert parse_kernel(text)(X, X) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "nothing is written there."),
        ("rbf(sigma=1) +", "it ends too early, after letter 14."),
        ("rbf(", "it ends too early, after letter 4."),
        ("rbf + foo", "'foo' at letter 7 is unknown; there are linear, poly, rbf, laplacian, sigmoid, exp, abs."),
        ("rbf $ 2", "'$' at letter 5 is not understood."),
        ("rbf rbf", "'rbf' at letter 5 is not expected there."),
        ("rbf(width=1)", "'width' at letter 5 cannot be set: rbf has sigma."),
        ("linear(1)", "'1' at letter 8 is one too many: linear has no values."),
        ("rbf(0)", "'0' at letter 5 is no sigma: a number from 1e-06 to 1e+06 is."),
        ("poly(2.5)", "'2.5' at letter 6 is no degree: a whole number from 1 to 10 is."),
        ("linear^0", "'0' at letter 8 is no power: whole numbers from 1 to 10 are."),
        ("linear/rbf", "'rbf' at letter 8 divides, but only a number other than 0 can."),
        ("(linear", "it ends too early, after letter 7."),
        ("linear)", "')' at letter 7 is not expected there."),
        ("1e999*linear", "'1e999' at letter 1 is too large."),
        ("__import__('os')", "'\\'' at letter 12 is not understood."),
        ("exp linear", "'linear' at letter 5 stands where '(' was expected."),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text, sentence):
    with pytest.raises(ExpressionError) as caught:
        parse_kernel(text)
    assert str(caught.value).replace('"', "'").replace("'''", "'\\''") == sentence


def test_length_and_depth_are_bounded():
    with pytest.raises(ExpressionError, match=f"at most {MAX_LETTERS}"):
        parse_kernel("linear+" * 40 + "1")
    with pytest.raises(ExpressionError, match="nested too deeply at letter"):
        parse_kernel("(" * 90 + "1" + ")" * 90)
    with pytest.raises(ExpressionError, match="nested too deeply at letter"):
        parse_kernel("-" * 150 + "1")


@given(st.text("rbfpolyexanes()+-*/^=,.0123456789 _'", max_size=40))
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(ExpressionError):
        node = parse_kernel(text)
        with np.errstate(all="ignore"):
            assert node(X, X).shape == (20, 20)


@pytest.mark.parametrize(
    "text", ["rbf + poly", "2*linear", "rbf*laplacian", "exp(linear)", "linear^3", "poly(3, 0)", "exp(0.5*linear + 1)"]
)
def test_what_the_rules_call_a_kernel_has_no_negative_eigenvalue(text):
    kernel = parse_kernel(text)
    assert kernel.semidefinite
    values = np.linalg.eigvalsh(kernel(X, X))
    assert values[0] > -1e-9 * values[-1]


@pytest.mark.parametrize("text", ["-linear", "abs(linear)", "sigmoid(1, 1)", "linear - rbf", "poly(2, -1)", "-1"])
def test_a_convex_function_of_a_kernel_need_not_be_one_and_the_sigmoid_is_none(text):
    """A summary says that f(k) is a kernel for every convex f: -k and |k| refute it."""
    kernel = parse_kernel(text)
    assert not kernel.semidefinite
    values = np.linalg.eigvalsh(kernel(X, X))
    assert values[0] < -1e-3 * np.abs(values).max()


def test_the_knob_says_what_is_wrong():
    with pytest.raises(ParamError, match="expression is no kernel: 'foo' at letter 3 is unknown"):
        find("kernel_lab").make_params({"expression": "2*foo"})


DEFINITE = ("rbf", "laplacian(sigma=2)", "0.5*rbf + poly", "rbf*laplacian", "rbf^3", "exp(rbf)", "2*(rbf + linear)/3")
NOT_KNOWN = (
    "linear",
    "poly",
    "sigmoid",
    "rbf*linear",
    "0*rbf",
    "rbf - linear",
    "-rbf",
    "abs(rbf)",
    "rbf + sigmoid",
    "3",
)


@pytest.mark.parametrize("text", DEFINITE)
def test_definite_kernels_have_positive_eigenvalues_on_distinct_points(text):
    """Eight points one unit apart: far from rounding."""
    X = np.arange(8.0)[:, None]
    kernel = parse_kernel(text)
    assert kernel.definite
    assert np.linalg.eigvalsh(kernel(X, X)).min() > 1e-6


@pytest.mark.parametrize("text", NOT_KNOWN)
def test_other_kernels_are_not_called_definite(text):
    assert not parse_kernel(text).definite
