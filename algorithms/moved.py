"""Where what has moved is found now: an old session, script or command line opens in the new place.

Kept for ever, like the migrations of session files. A rule takes the parameters that were given to a method, as values
or as texts of a command line, and gives the method and the parameters that mean the same today, with a sentence for the
user where that is another place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from algorithms.calls import written_call

Place = tuple[str, dict[str, Any], str]


def moved(key: str, values: Mapping[str, Any]) -> Place:
    """The method, its parameters as they are called today, and what to say: nothing where all has stayed."""
    rule = RULES.get(key)
    given = key
    key, found, words = (key, dict(values), "") if rule is None else rule(dict(values))
    if key != given and key in RULES:  # what has moved there may have moved on
        key, found, _ = RULES[key](found)
    for name in OLD_VALUES.get(key, {}):
        found |= {name: OLD_VALUES[key][name].get(str(found[name]), found[name])} if name in found else {}
    fixed = FIXED.get(key, {})
    lost = [name for name, usual in fixed.items() if name in found and not _same(found[name], usual)]
    kept = {name: value for name, value in found.items() if name not in fixed}
    said = [words, f"{key} has no {' and no '.join(lost)} any more." if lost else ""]
    return key, kept, " ".join(filter(None, said))


def _isomap(values: dict[str, Any]) -> Place:
    """All pairs joined is plain multidimensional scaling, and going down the stress belongs there, too.

    Stress along a graph has no new place; there the parameter stays, so that it is said to be unknown.
    """
    scaling = values.get("scaling", "classical")
    descent: dict[str, Any] = {name: values[name] for name in ("begin", "step", "max_steps", "tol") if name in values}
    rest = {name: value for name, value in values.items() if name not in (*descent, "scaling")}
    if values.get("graph") != "complete graph":
        return "isomap", rest if scaling == "classical" else {**rest, "scaling": scaling}, ""
    if descent.get("begin") == "principal components":
        descent["begin"] = "classical scaling"  # the same map where all pairs are joined
    kind = {"kind": "classical"} if scaling == "classical" else {"kind": "metric", "descent": scaling}
    dimensions = {"dimensions": values["dimensions"]} if "dimensions" in values else {}
    words = "Isomap over the complete graph is the method mds now."
    return "mds", {**kind, **dimensions, **descent}, words


# --- linear regression, which was seven methods in one ---------------------------------------------------------------

_FUNCTIONS = ("dictionary", "degree", "width", "columns", "intercept")
_CARRIED = {
    "linear_regression": (
        *_FUNCTIONS,
        *("penalty", "lam", "solver", "residuals", "band", "confidence", "noise", "sweep", "folds"),
    ),
    "lasso": (*_FUNCTIONS, "penalty", "lam", "mix", "q", "sweep", "pair", "folds", "tol", "max_steps"),
    "subset_selection": (*_FUNCTIONS, "subset", "size", "residuals", "band", "confidence"),
    "robust_regression": (
        *_FUNCTIONS,
        *("loss", "delta", "tau", "penalty", "lam", "band", "sweep", "tol", "max_steps"),
    ),
    "component_regression": (*_FUNCTIONS, "components", "band", "confidence", "sweep", "folds", "pair"),
    "kernel_ridge": ("kernel", "sigma", "degree", "features", "lam", "band", "sweep", "intercept"),
    "bias_variance": (
        *("method", "dictionary", "degree", "lam", "components", "delta"),
        *("redraws", "truth", "noise", "intercept", "pair"),
    ),
}
"""The parameters that each of the methods of today has of what linear regression had, or that are made of it."""
_GONE = (
    *("mix", "q", "subset", "size", "components", "loss", "delta", "tau", "period"),
    *("redraws", "truth", "pair", "tol", "max_steps"),
)
"""What only the old linear regression had."""
_NOTED = {"columns": "as they are", "residuals": "bars", "band": "of the fit", "redraws": 0}
"""What is mentioned when it had another value than this and has no place in the new method."""
_KERNELS = {"gaussian kernel": "rbf", "laplacian kernel": "laplacian", "polynomial kernel": "polynomial"}
_RULES = ("forward", "backward", "exhaustive", "leaps and bounds")


def _linear_regression(values: dict[str, Any]) -> Place:
    """Each penalty, loss, subset, kernel and game with noise has a method of its own."""
    if values.get("dictionary") == "sine and cosine" and "period" in values:
        values["width"] = values["period"]
    key, made = _new_method(values)
    if key == "linear_regression":
        if str(values.get("dictionary")) in _KERNELS:  # of degree 0: no functions at all
            values["dictionary"] = "polynomial"
        return key, {name: value for name, value in values.items() if name not in _GONE}, ""
    values |= {"degree": values.get("degree", 1), **made}  # other methods begin with other degrees
    kept = {name: value for name, value in values.items() if name in _CARRIED[key]}
    if kept.get("band") == "of the noise":
        kept["band"] = "none"
    known = {*_GONE, *(name for names in _CARRIED.values() for name in names)}
    strange = {name: value for name, value in values.items() if name not in known}
    lost = [
        name
        for name, usual in _NOTED.items()
        if name in values and name not in (*kept, *made) and str(values[name]) != str(usual)
    ]
    words = f"What linear_regression did with these parameters is done by {key} now"
    return key, {**kept, **strange}, words + (f", without {' and '.join(lost)}." if lost else ".")


def _new_method(old: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The method of today, and those of its parameters that have another name or value than before."""
    penalty, loss = str(old.get("penalty", "none")), str(old.get("loss", "squared"))
    subset = str(old.get("subset", "all columns")) if (penalty, loss) == ("none", "squared") else ""
    odd = loss == "asymmetric" or penalty == "elastic net" or subset in _RULES  # of these noise is not drawn anew
    if _number(old.get("redraws", 0)) > 0 and not odd:
        priced = _power(old).get("penalty", penalty)
        method = priced if priced != "none" else subset if subset == "principal components" else "least squares"
        return "bias_variance", {"method": "huber" if loss == "huber" else method}
    if loss != "squared":
        return "robust_regression", {"loss": "expectile" if loss == "asymmetric" else loss} | _power(old)
    if penalty in ("lasso", "elastic net", "power"):
        return "lasso", {}
    if subset in _RULES:
        return "subset_selection", {}
    if subset == "principal components":
        return "component_regression", {}
    if str(old.get("dictionary")) in _KERNELS and _number(old.get("degree", 1)) > 0:
        return "kernel_ridge", _kernel(old)
    return "linear_regression", {}


def _power(old: Mapping[str, Any]) -> dict[str, Any]:
    """Of the penalties robust regression and bias and variance have the lasso's and ridge's only: the nearer one."""
    if old.get("penalty") == "power":
        return {"penalty": "ridge" if _number(old.get("q", 0.5)) > 1.5 else "lasso"}
    if old.get("penalty") == "elastic net":
        return {"penalty": "ridge" if _number(old.get("mix", 0.5)) < 0.5 else "lasso"}
    return {}


def _kernel(old: Mapping[str, Any]) -> dict[str, Any]:
    """Kernels had a width in ranges of the data by the degree; without a penalty they passed through every point."""
    kernel, degree = _KERNELS[old["dictionary"]], _number(old.get("degree", 1))
    made = {"kernel": kernel, "intercept": old.get("intercept", "free")}
    if old.get("penalty", "none") == "none":
        made["lam"] = 1e-9
    else:
        made["lam"] = old.get("lam", 1.0)
    if kernel == "polynomial":
        return made
    return made | {"sigma": _number(old.get("width", 1.0)) / degree, "features": "from 0 to 1", "degree": 3}


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


# --- forms that had more than a dozen knobs --------------------------------------------------------------------------


def _robust_regression(values: dict[str, Any]) -> Place:
    """The elastic net is the lasso's."""
    made = _power(values)
    words = f"The elastic net of robust_regression is the penalty {made['penalty']} now." if made else ""
    return "robust_regression", {**{name: value for name, value in values.items() if name != "mix"}, **made}, words


_REPEATED = ("least squares", "ridge", "lasso", "power", "principal components", "huber")
"""What bias and variance repeated before it took any method."""


def _bias_variance(values: dict[str, Any]) -> Place:
    """The fit that is repeated is a method with its parameters; powers of coefficients were those of lasso or ridge."""
    q, name = values.pop("q", 0.5), values.get("method", "least squares")
    if name not in _REPEATED or ("method" not in values and not {*_FITTED} & {*values}):
        return "bias_variance", values, ""
    old = {"degree": 3} | {key: _read(values[key]) for key in _FITTED if key in values}
    rest = {key: value for key, value in values.items() if key not in (*_FITTED, "method")}
    words = ""
    if name == "power":
        name = _power({"penalty": "power", "q": q})["penalty"]
        words = f"Powers of coefficients in bias_variance are those of {name} now."
    method = {"least squares": "linear_regression", "ridge": "linear_regression", "huber": "robust_regression"}
    key = {"principal components": "component_regression", **method}.get(name, str(name))
    if key == "linear_regression" and old.get("dictionary") in _KERNELS:
        old = {"penalty": "none" if name == "least squares" else name, **old}
        if _number(old["degree"]) > 0:
            made = {part: value for part, value in _kernel(old).items() if part in _CARRIED["kernel_ridge"]}
            text = written_call("kernel_ridge", {**made, "sweep": False})
            return "bias_variance", {**rest, "method": text}, words
        old["dictionary"] = "polynomial"  # of degree 0: no functions at all
    if name == "ridge":
        old["penalty"] = "ridge"
    parts = {
        "linear_regression": ("dictionary", "degree", "penalty", *(("lam",) if name == "ridge" else ())),
        "lasso": ("lam", "dictionary", "degree"),
        "component_regression": ("components", "dictionary", "degree"),
        "robust_regression": ("delta", "dictionary", "degree"),
    }[key]
    text = written_call(key, {part: old[part] for part in parts if part in old})
    return "bias_variance", {**rest, "method": text}, words


_FITTED = ("dictionary", "degree", "lam", "components", "delta")


def _read(value: Any) -> Any:
    """A number that is written as a text is that number."""
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        return _number(value) if _number(value) or value.strip("0.") == "" else value


def _gradient_descent(values: dict[str, Any]) -> Place:
    """Each race is a method of its own, one memory of squares serves both who have one, and data are scaled as data."""
    runners, rho, beta2 = values.pop("runners", _SIX), values.pop("rho", 0.9), values.pop("beta2", 0.999)
    if values.get("method") == "race" and runners != _SIX:
        values["method"] = f"race of {runners}"
    elif values.get("method") in ("RMSprop", "Adam"):
        memory, usual = (rho, 0.9) if values["method"] == "RMSprop" else (beta2, 0.999)
        values |= {} if _same(memory, usual) else {"memory": memory}
    scaled = values.pop("standardise", False)
    words = "gradient_descent has no standardise any more: scale the features in the data panel."
    return "gradient_descent", values, words if str(scaled) in ("True", "true") else ""


def _kernel_svm(values: dict[str, Any]) -> Place:
    """The sigmoid has the width and the offset of the other kernels: tanh(x·z/(2σ²) - offset)."""
    slope, shift = values.pop("slope", None), values.pop("shift", None)
    if values.get("kernel") != "sigmoid" or (slope is None and shift is None):
        return "kernel_svm", values, ""
    slope, shift = _number(0.5 if slope is None else slope), _number(shift)
    words = "kernel_svm has no sigmoid with a shift below 0 any more." if shift < 0 else ""
    made = {"sigma": (0.5 / slope) ** 0.5 if slope > 0 else 1.0, "offset": max(shift, 0.0)}
    return "kernel_svm", {**values, **made}, words


_SIX = "one of each kind"
FIXED: dict[str, dict[str, Any]] = {
    "linear_regression": {"confidence": 0.95, "folds": 5},
    "lasso": {"folds": 5, "tol": 1e-8},
    "robust_regression": {"tol": 1e-8, "max_steps": 10_000},
    "subset_selection": {"confidence": 0.95},
    "component_regression": {"confidence": 0.95, "folds": 5},
    "bias_variance": {"intercept": "free"},
    "gaussian_likelihood": {"deviation": 2.0},
    "gradient_descent": {"armijo": 1e-4},
}
"""What was a parameter once and always has this value now."""
_BEGIN = {"begin": {"random places": "random"}}
_SCALING = {"scaling": {"of the notes": "standard", "of networkx": "as in networkx"}}
OLD_VALUES = {"centralities": _SCALING, "mds": _BEGIN, "t_sne": _BEGIN, "umap": _BEGIN}
"""Values that have another name now."""


def _same(value: Any, usual: Any) -> bool:
    """Whether a value, or its text, is the usual one."""
    return str(value) == str(usual) or (not isinstance(usual, str) and _number(value) == usual)


RULES: dict[str, Callable[[dict[str, Any]], Place]] = {
    "isomap": _isomap,
    "linear_regression": _linear_regression,
    "robust_regression": _robust_regression,
    "bias_variance": _bias_variance,
    "gradient_descent": _gradient_descent,
    "kernel_svm": _kernel_svm,
}
