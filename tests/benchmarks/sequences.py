"""The hidden Markov chain, every frame yielded, against hmmlearn with the same chain: the same numbers are found.

A recursion goes from moment to moment, which Python does one number at a time and hmmlearn in C++: there is no target.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from hmmlearn.hmm import CategoricalHMM, GaussianHMM

from algorithms import fit
from algorithms.data import Sequences
from mlviz.data.spec import load_data
from tests.benchmarks.record import Effort, Row, duel_for, words


def measure(effort: Effort) -> list[Row]:
    """Both tasks on symbols and on values."""
    n = effort.size(5000, 100)
    series = (load_data(f"casino(n={n},seed=1)"), load_data(f"gaussian_chain(n={n},states=3,noise=1.5,seed=1)"))
    return [_fit(data, task, effort) for data in series for task in ("evaluate", "decode")]


def _fit(data: Sequences, task: str, effort: Effort) -> Row:
    """Log-likelihood and posterior of every state, or Viterbi's path."""
    chain, given = _theirs(data)
    act = chain.score_samples if task == "evaluate" else chain.decode
    model = fit("hidden_markov", data, task=task).model
    reached = abs(act(*given)[0] - (model.log_likelihood if task == "evaluate" else model.log_path))
    ours, theirs = duel_for(
        lambda: fit("hidden_markov", copy.copy(data), task=task), lambda: act(*given), effort.seconds(2.0), 25
    )
    best = float(ours.min()), float(theirs.min())
    case = f"hidden_markov, {task}: {data.n:,} {'values' if chain.__class__ is GaussianHMM else 'symbols'}"
    detail = {"gap of the logarithms": reached, "same number": bool(reached <= 1e-6 * data.n)}
    numbers = words(best[0]), words(best[1]), best[0] / best[1]
    return Row("fit", case, f"hmmlearn {act.__name__}", *numbers, None, summary=False, detail=detail)


def _theirs(data: Sequences) -> tuple[Any, tuple[Any, ...]]:
    """The chain that we would use, in hmmlearn, and the data as it takes them."""
    model = fit("hidden_markov", data, task="decode").model
    X, lengths = np.concatenate(data.series), [len(one) for one in data.series]
    if model.symbols:
        chain = CategoricalHMM(len(model.initial), n_features=len(model.symbols))
        chain.emissionprob_, X = model.emission, X[:, None]
    else:
        chain = GaussianHMM(len(model.initial), "full")
        chain.means_, chain.covars_ = model.emission, model.covariances
    chain.startprob_, chain.transmat_ = model.initial, model.transition
    return chain, (X, lengths)
