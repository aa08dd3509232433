"""Finding a method by what people type: its name, its synonyms, what it is for, and its parameters."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Sequence

from algorithms.contract import Algorithm

NEAREST = 3
"""How many names are suggested for one that nothing has."""
TASKS = {
    "clustering": ("unsupervised learning", "group similar points", "segmentation"),
    "embedding": ("unsupervised learning", "dimensionality reduction", "visualisation"),
    "sequences": ("time series", "sequence data", "signal"),
    "graphs": ("network analysis",),
    "ensembles": ("combine models",),
    "evaluation": ("assessment",),
}
CLASSES = ("supervised learning", "classify", "classifier", "classification")
VALUES = ("supervised learning", "regression", "predict a value", "curve fitting")
SCORED = ("ROC curve", "precision and recall")
"""What the evaluation shows of a method that gives a score for classes."""
KNOBS = {
    "sigma": "gamma bandwidth",
    "width": "gamma bandwidth",
    "lam": "lambda regularisation penalty",
    "rate": "learning rate eta",
    "tol": "tolerance",
    "C": "regularisation cost",
}
"""What other libraries and books call a parameter."""


def tasks(algorithm: Algorithm) -> tuple[str, ...]:
    """What the method is used for, in the words of textbooks."""
    found = TASKS.get(algorithm.family, ())
    if algorithm.predict is None:
        return found
    if algorithm.target in ("classes", "any"):
        found += CLASSES + (SCORED if algorithm.scores else ())
    return found + (VALUES if algorithm.target in ("values", "any") else ())


def knobs(algorithm: Algorithm) -> tuple[str, ...]:
    """The names of the parameters, also those that other libraries use."""
    return tuple(f"{field.name} {field.label} {KNOBS.get(field.name, '')}" for field in algorithm.fields)


@functools.lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A text as it is compared: k-NN is knn, and American spelling is as good as British."""
    return text.lower().replace("-", "").replace("z", "s").replace("our", "or")


@functools.lru_cache(maxsize=4096)
def _spread(text: str) -> str:
    """All words of a text: ``LP-SVM`` is lpsvm and lp svm, ``AdaBoost`` is adaboost and ada boost."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|[-_/]", " ", text)
    return f" {plain(text)} {plain(text.replace('_', ''))} {plain(apart)}".replace("(", " ").replace("'", " ")


def _begins(word: str, *texts: str) -> bool:
    """Whether a word of the texts begins like this: ROC is not in a process."""
    return any(f" {word}" in _spread(text) for text in texts)


def rank(algorithm: Algorithm, words: Sequence[str]) -> int | None:
    """How well all the words match, the smaller the better: the name itself, a whole synonym or the beginning of the
    title, words of title and key, synonyms, then family, purpose and summary, then parameters; None if they do not.
    """
    words = [plain(word) for word in words]
    title, key, text = algorithm.title, algorithm.key, " ".join(words)
    if not words or text in (plain(title), plain(key), plain(key.replace("_", " ")), plain(key.replace("_", ""))):
        return 0
    if plain(title).startswith(text) or text in map(plain, algorithm.synonyms):
        return 1
    known = [(title, key), algorithm.synonyms, (algorithm.family, algorithm.summary, *tasks(algorithm))]
    texts: tuple[str, ...] = ()
    for number, more in enumerate((*known, knobs(algorithm)), 2):
        texts += tuple(more)
        if all(_begins(word, *texts) for word in words):
            return number
    return None


def nearest(name: str, algorithms: Sequence[Algorithm]) -> list[str]:
    """The keys of the methods that are called nearly so, the nearest first; one where it is a name of just that one."""
    words = re.split(r"[\s_]+", name.strip())
    ranked = [(rank(algorithm, words), place) for place, algorithm in enumerate(algorithms)]
    fitting = sorted((how, place) for how, place in ranked if how is not None and how <= 3)
    if fitting:
        most = 1 if fitting[0][0] == 0 else NEAREST
        return [algorithms[place].key for _, place in fitting[:most]]

    def alike(algorithm: Algorithm) -> float:
        names = (algorithm.key, algorithm.title, *algorithm.synonyms)
        return max(difflib.SequenceMatcher(None, plain(name), plain(other)).ratio() for other in names)

    return [algorithm.key for algorithm in sorted(algorithms, key=alike, reverse=True)[:NEAREST]]
