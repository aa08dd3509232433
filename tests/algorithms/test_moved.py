"""What an old session, script or command line names is found in its new place."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from algorithms import fit
from algorithms.moved import moved
from algorithms.params import ParamError, as_dict
from algorithms.registry import find
from mlviz.cli import main
from mlviz.data.spec import load_data
from mlviz.session.files import load

SAMPLES = Path(__file__).parent.parent / "session" / "samples"

OLD_ISOMAP = {
    "graph": "k nearest neighbours",
    "neighbours": 7,
    "epsilon": 0.1,
    "dimensions": 2,
    "scaling": "classical",
    "begin": "random places",
    "step": 1.0,
    "max_steps": 300,
    "tol": 1e-4,
    "paths": "Dijkstra",
    "colour": "target",
    "from_point": 0,
    "to_point": 0,
}
"""All parameters, as session files hold them."""


def test_what_has_not_moved_stays():
    assert moved("k_means", {"k": 4}) == ("k_means", {"k": 4}, "")


@pytest.mark.parametrize("key", ["mds", "t_sne", "umap"])
def test_random_places_are_called_random_now(key):
    assert moved(key, {"begin": "random places"}) == (key, {"begin": "random"}, "")
    assert find(key).make_params({"begin": "random"}).begin == "random"


def test_an_old_isomap_is_still_isomap():
    key, values, _ = moved("isomap", OLD_ISOMAP)
    assert key == "isomap"
    assert find(key).make_params(values) == find(key).params()


def test_a_complete_graph_was_multidimensional_scaling():
    key, values, _ = moved("isomap", {**OLD_ISOMAP, "graph": "complete graph", "dimensions": 3})
    assert key == "mds"
    assert find(key).make_params(values) == find(key).params(dimensions=3)


@pytest.mark.parametrize(
    "scaling", ["stress by majorisation", "stress by gradient descent", "squared stress by gradient descent"]
)
def test_going_down_the_stress_is_done_by_multidimensional_scaling(scaling):
    X = np.random.default_rng(0).normal(size=(20, 3))
    old = {**OLD_ISOMAP, "graph": "complete graph", "scaling": scaling, "begin": "principal components", "max_steps": 9}
    result = fit("isomap", X, **old)
    assert result.algorithm.key == "mds"
    assert (result.params.kind, result.params.descent, result.params.max_steps) == ("metric", scaling, 9)


def test_stress_along_a_graph_has_no_new_place_and_that_is_said():
    with pytest.raises(ParamError, match="scaling"):
        fit("isomap", np.eye(4), scaling="stress by majorisation")


# --- linear regression was seven methods -----------------------------------------------------------------------------

OLD = {
    "dictionary": "polynomial",
    "degree": 1,
    "penalty": "none",
    "lam": 1.0,
    "mix": 0.5,
    "q": 0.5,
    "subset": "all columns",
    "size": 3,
    "components": 0,
    "solver": "QR",
    "loss": "squared",
    "delta": 1.0,
    "tau": 0.9,
    "period": 0.0,
    "width": 1.0,
    "residuals": "bars",
    "band": "of the fit",
    "confidence": 0.95,
    "columns": "as they are",
    "intercept": "free",
    "sweep": True,
    "redraws": 0,
    "truth": 3,
    "noise": 0.0,
    "pair": (1, 2),
    "folds": 5,
    "tol": 1e-8,
    "max_steps": 10_000,
}
"""All parameters of the old linear regression, as session files and scripts hold them."""

PLACES = {
    "line": ({"degree": 3}, "linear_regression", {"degree": 3}),
    "ridge": ({"penalty": "ridge", "lam": 0.5}, "linear_regression", {"penalty": "ridge", "lam": 0.5}),
    "waves": (
        {"dictionary": "sine and cosine", "period": 2.0},
        "linear_regression",
        {"dictionary": "sine and cosine", "width": 2.0},
    ),
    "lasso": ({"penalty": "lasso", "lam": 0.5, "degree": 4}, "lasso", {"lam": 0.5, "degree": 4}),
    "elastic net": ({"penalty": "elastic net", "mix": 0.2}, "lasso", {"penalty": "elastic net", "mix": 0.2}),
    "power": ({"penalty": "power", "q": 0.3}, "lasso", {"penalty": "power", "q": 0.3}),
    "forward": ({"subset": "forward", "size": 2}, "subset_selection", {"size": 2}),
    "leaps": ({"subset": "leaps and bounds"}, "subset_selection", {"subset": "leaps and bounds"}),
    "components": ({"subset": "principal components", "components": 2}, "component_regression", {"components": 2}),
    "huber": ({"loss": "huber", "delta": 0.2}, "robust_regression", {"delta": 0.2}),
    "expectile": ({"loss": "asymmetric", "tau": 0.8}, "robust_regression", {"loss": "expectile", "tau": 0.8}),
    "huber and lasso": (
        {"loss": "huber", "penalty": "lasso", "lam": 2.0},
        "robust_regression",
        {"penalty": "lasso", "lam": 2.0},
    ),
    "kernel": (
        {"dictionary": "gaussian kernel", "degree": 4, "width": 2.0, "penalty": "ridge", "lam": 0.1},
        "kernel_ridge",
        {"sigma": 0.5, "lam": 0.1, "features": "from 0 to 1", "intercept": "free", "degree": 3},
    ),
    "polynomial kernel": (
        {"dictionary": "polynomial kernel", "degree": 4, "penalty": "ridge", "intercept": "none"},
        "kernel_ridge",
        {"kernel": "polynomial", "degree": 4, "lam": 1.0},
    ),
    "sparse kernel": (
        {"dictionary": "gaussian kernel", "penalty": "lasso", "width": 1.0},
        "lasso",
        {"dictionary": "gaussian kernel", "width": 1.0},
    ),
    "redraws": (
        {"redraws": 30, "truth": 4},
        "bias_variance",
        {"redraws": 30, "truth": 4, "method": "linear_regression"},
    ),
    "redrawn ridge": (
        {"redraws": 30, "penalty": "ridge", "lam": 0.1},
        "bias_variance",
        {"redraws": 30, "method": "linear_regression(penalty='ridge',lam=0.1)"},
    ),
    "redrawn components": (
        {"redraws": 5, "subset": "principal components", "components": 2},
        "bias_variance",
        {"redraws": 5, "method": "component_regression(components=2,degree=1)"},
    ),
    "redrawn huber": (
        {"redraws": 5, "loss": "huber", "delta": 0.3},
        "bias_variance",
        {"redraws": 5, "method": "robust_regression(delta=0.3)"},
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_an_old_regression_is_found_in_its_place(name):
    """Whether it names all parameters, as files do, or only some; as values or as texts of a command line."""
    some, place, wanted = PLACES[name]
    key, values, words = moved("linear_regression", {**OLD, **some})
    found = as_dict(find(key).make_params(values))
    assert key == place
    assert found == found | ({} if key == "bias_variance" else {"degree": 1}) | wanted
    assert (place in words) == (place != "linear_regression")
    key, few, _ = moved("linear_regression", some)
    same = as_dict(find(key).make_params(few))
    assert same | {"width": 0.0} == found | {"width": 0.0}
    key, texts, _ = moved("linear_regression", {parameter: str(value) for parameter, value in some.items()})
    fields = {field.name: field for field in find(key).fields}
    assert key == place
    read = {parameter: fields[parameter].parse(str(text)) for parameter, text in texts.items()}
    assert read == {parameter: fields[parameter].check(value) for parameter, value in few.items()}


def test_what_is_written_today_stays_as_it_is():
    algorithm = find("linear_regression")
    for some in ({}, {"penalty": "ridge", "width": 0.5}, {"dictionary": "sine and cosine", "width": 2.0}):
        values = as_dict(algorithm.make_params(some))
        assert moved("linear_regression", values) == ("linear_regression", values, "")


@pytest.mark.parametrize(
    ("some", "place", "lost"),
    [
        ({"penalty": "elastic net", "redraws": 9}, "lasso", "without redraws."),
        ({"penalty": "lasso", "residuals": "squares", "band": "of the noise"}, "lasso", "without residuals and band."),
        ({"dictionary": "gaussian kernel", "penalty": "ridge", "columns": "standardised"}, "kernel_ridge", "columns."),
    ],
)
def test_what_has_no_place_any_more_is_said(some, place, lost):
    key, values, words = moved("linear_regression", {**OLD, **some})
    assert key == place
    assert words.endswith(lost)
    find(key).make_params(values)


def test_the_band_of_the_noise_is_left_out_where_there_is_none():
    _, values, _ = moved("linear_regression", {"subset": "forward", "band": "of the noise"})
    assert values["band"] == "none"


# --- forms that had more than a dozen knobs --------------------------------------------------------------------------

SMALLER = {
    "lasso": ({"lam": 2.0, "folds": 5, "tol": "1e-08"}, {"lam": 2.0}, ""),
    "patient lasso": ({"folds": 5, "tol": 1e-4}, {}, "lasso has no tol any more."),
    "linear_regression": ({"confidence": 0.9, "folds": "3"}, {}, "no confidence and no folds any more."),
    "robust_regression": (
        {"penalty": "elastic net", "mix": 0.2, "tol": 1e-8},
        {"penalty": "ridge"},
        "the penalty ridge",
    ),
    "bias_variance": (
        {"method": "power", "q": 0.5, "intercept": "free"},
        {"method": "lasso(degree=3)"},
        "those of lasso now.",
    ),
    "degree of bias_variance": ({"degree": "12"}, {"method": "linear_regression(degree=12)"}, ""),
    "kernel of bias_variance": (
        {"method": "ridge", "dictionary": "laplacian kernel", "degree": 4, "lam": 0.5},
        {
            "method": "kernel_ridge(kernel='laplacian',sigma=0.25,lam=0.5,features='from 0 to 1',"
            "sweep=False,intercept='free')"
        },
        "",
    ),
    "method of bias_variance": ({"method": "k_nearest(k=3)"}, {"method": "k_nearest(k=3)"}, ""),
    "line of bias_variance": ({"intercept": "none"}, {}, "no intercept any more."),
    "gradient_descent": (
        {"method": "race", "runners": "second order", "rho": 0.5, "standardise": False, "armijo": 1e-4},
        {"method": "race of second order"},
        "",
    ),
    "six of gradient_descent": ({"method": "race", "runners": "one of each kind"}, {"method": "race"}, ""),
    "RMSprop of gradient_descent": ({"method": "RMSprop", "rho": 0.5}, {"method": "RMSprop", "memory": 0.5}, ""),
    "Adam of gradient_descent": ({"method": "Adam", "rho": 0.5, "beta2": 0.999}, {"method": "Adam"}, ""),
    "standard gradient_descent": ({"standardise": "true"}, {}, "scale the features in the data panel."),
    "kernel_svm": (
        {"kernel": "sigmoid", "slope": "2", "shift": 1.0, "sigma": 3.0, "offset": 5.0},
        {"kernel": "sigmoid", "sigma": 0.5, "offset": 1.0},
        "",
    ),
    "bells of kernel_svm": ({"slope": 0.5, "shift": 0.0, "sigma": 3.0}, {"sigma": 3.0}, ""),
    "shifted kernel_svm": (
        {"kernel": "sigmoid", "shift": -1.0},
        {"kernel": "sigmoid", "sigma": 1.0, "offset": 0.0},
        "below 0",
    ),
}


@pytest.mark.parametrize("name", SMALLER)
def test_what_a_form_no_longer_asks_is_translated_or_said(name):
    old, wanted, said = SMALLER[name]
    key, values, words = moved(name.split()[-1], old)
    assert find(key).make_params(values) == find(key).make_params(wanted)
    assert said in words
    assert bool(said) == bool(words)


def test_a_sigmoid_of_today_keeps_what_it_was_given():
    assert moved("kernel_svm", {"kernel": "sigmoid", "offset": 2.0})[1] == {"kernel": "sigmoid", "offset": 2.0}


@given(st.dictionaries(st.sampled_from([*OLD, "strange"]), st.none() | st.lists(st.integers()) | st.text(max_size=4)))
@example({"dictionary": ["gaussian kernel"], "degree": None, "redraws": {}, "penalty": []})
def test_nonsense_is_passed_on_to_be_refused(values):
    key, found, _ = moved("linear_regression", values)
    assert ("strange" in found) == ("strange" in values)
    assert key in {place for _, place, _ in PLACES.values()}


KNOWN = {
    "linear_regression": (
        {"degree": 3, "penalty": "ridge", "lam": 0.5},
        (0.662871959517, 0.032719601487, -0.467006259228),
    ),
    "lasso": ({"penalty": "lasso", "lam": 0.5, "degree": 4}, (0.887298774984, 0.007174594393, -0.844013007142)),
    "subset_selection": (
        {"subset": "leaps and bounds", "size": 2, "degree": 4},
        (0.979858798208, -0.010392285342, -1.000643368893),
    ),
    "robust_regression": (
        {"loss": "huber", "delta": 0.2, "degree": 3},
        (0.948478544333, -0.037415307582, -0.977177784003),
    ),
    "component_regression": (
        {"subset": "principal components", "components": 2, "degree": 4},
        (0.384676299677, 0.064460707364, -0.04852189968),
    ),
    "kernel_ridge": (
        {"dictionary": "gaussian kernel", "degree": 4, "penalty": "ridge", "lam": 0.1},
        (1.009504727972, -0.163674255989, -0.897330356559),
    ),
}
"""What the linear regression of before the move predicted at -0.5, 0 and 0.5."""


@pytest.mark.parametrize("key", KNOWN)
def test_an_old_script_gives_the_old_numbers(key):
    """PARAMS as an exported script had them, all of them."""
    some, numbers = KNOWN[key]
    data = load_data("polynomial(n=30,noise=0.25,degree=3,seed=1)")
    found = fit("linear_regression", data, seed=3, **{**OLD, **some})
    assert found.algorithm.key == key
    assert found.predict(np.array([[-0.5], [0.0], [0.5]])) == pytest.approx(numbers, rel=1e-9)


@pytest.mark.parametrize("key", [*KNOWN, "bias_variance"])
def test_an_old_session_opens_in_its_place(key):
    """Written in format 2 on the day before the move, with all parameters of the old linear regression."""
    loaded = load(SAMPLES / f"moved-{key}.mlviz")
    document = loaded.document
    assert (document.algorithm, document.seed) == (key, 3)
    assert len(loaded.notices) == (key != "linear_regression")
    assert all(f"done by {key} now." in notice for notice in loaded.notices)
    found = fit(document.algorithm, document.data, seed=document.seed, **document.params)
    if key == "bias_variance":
        text = "linear_regression(degree=5,penalty='ridge',lam=0.05)"
        assert (document.params["method"], document.params["redraws"]) == (text, 30)
        assert found.model.coefficients.shape == (30, 5)
    else:
        assert found.predict(np.array([[-0.5], [0.0], [0.5]])) == pytest.approx(KNOWN[key][1], rel=1e-9)


def test_an_old_command_line_is_carried_out_and_says_where(capsys):
    line = ["fit", "linear_regression", "--data", "sine(n=20)", "--param", "penalty=lasso", "--param", "lam=0.5"]
    assert main(line) == 0
    out, said = capsys.readouterr()
    assert out.startswith("Lasso on sine")
    assert said == "mlviz: What linear_regression did with these parameters is done by lasso now.\n"
    assert main(["script", *line[1:4], "--param", "dictionary=gaussian kernel", "--param", "penalty=ridge"]) == 0
    out, said = capsys.readouterr()
    assert "fit('kernel_ridge', data" in out
    assert "kernel_ridge" in said
    assert main(["fit", *line[1:4], "--param", "penalty=ridge"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["fit", *line[1:4], "--param", "penalty=lasso", "--param", "strange=1"]) == 2
    assert "lasso has no parameter 'strange'" in capsys.readouterr().err


def test_the_scalings_of_centralities_have_no_names_of_papers():
    assert moved("centralities", {"scaling": "of the notes"})[1] == {"scaling": "standard"}
    assert moved("centralities", {"scaling": "of networkx"})[1] == {"scaling": "as in networkx"}
