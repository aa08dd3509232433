"""The hidden Markov chain: answers by hand, all paths counted, hmmlearn, and series that are long or impossible."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hmmlearn.hmm import CategoricalHMM, GaussianHMM
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms import DataError, fit
from algorithms.contract import Case
from algorithms.data import Sequences
from algorithms.marks import Strip, Trellis
from algorithms.sequences.hidden_markov import ALGORITHM, Params, solver
from algorithms.sequences.hidden_markov.solver import Chain
from mlviz.data.generators import generate

NONE = np.empty((0, 0, 0))
NOTES = {"chain": "by hand", "initial": (0.6, 0.4), "transition": ((0.7, 0.3), (0.2, 0.8)), "means": ((0.0,), (3.0,))}
"""The chain of the catalogue's fixture, with unit deviations."""
SERIES = Sequences([np.array([0.1, 2.5, 3.2, 0.4])])


def test_the_fixture_of_the_notes():
    """Likelihood, filtered and smoothed states of four moments, computed there by counting all sixteen paths."""
    model = fit("hidden_markov", SERIES, task="evaluate", **NOTES).model
    assert model.log_likelihood == pytest.approx(-7.241228488762988, abs=1e-12)
    filtered = [0.9901019006, 0.1019118905, 0.0020384594, 0.8721455364]
    smoothed = [0.9750124470, 0.0423477686, 0.0062887265, 0.8721455364]
    assert model.filtered[:, 0] == pytest.approx(filtered, abs=1e-10)
    assert model.posterior[:, 0] == pytest.approx(smoothed, abs=1e-10)
    decoded = fit("hidden_markov", SERIES, task="decode", **NOTES).model
    assert decoded.path.tolist() == [0, 1, 1, 0]
    assert np.exp(decoded.log_path) == pytest.approx(5.796222123545894e-4, rel=1e-12)
    assert decoded.log_likelihood == pytest.approx(model.log_likelihood, abs=1e-12)


def test_two_throws_by_hand():
    """A fair coin and one that shows 1 in three of four throws; 1, then 0: eight numbers on paper."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    stay, change = Fraction(3, 4), Fraction(1, 4)
    emission = {0: (half, half), 1: (quarter, 1 - quarter)}
    paths = {
        (i, j): half * emission[i][1] * (stay if i == j else change) * emission[j][0] for i in (0, 1) for j in (0, 1)
    }
    params = {
        "chain": "by hand",
        "transition": ((0.75, 0.25), (0.25, 0.75)),
        "probabilities": ((1.0, 1.0), (1.0, 3.0)),
    }
    data = Sequences([np.array([1, 0])])
    model = fit("hidden_markov", data, task="evaluate", **params).model
    total = sum(paths.values())
    assert total == Fraction(29, 128)
    assert np.exp(model.log_likelihood) == pytest.approx(float(total), rel=1e-14)
    assert model.posterior[0, 0] == pytest.approx(float((paths[0, 0] + paths[0, 1]) / total), rel=1e-14)
    assert model.posterior[1, 1] == pytest.approx(float((paths[0, 1] + paths[1, 1]) / total), rel=1e-14)
    decoded = fit("hidden_markov", data, **params).model
    assert tuple(decoded.path) == max(paths, key=paths.get) == (0, 0)
    assert np.exp(decoded.log_path) == pytest.approx(3 / 32, rel=1e-14)


def a_chain(rng, k, m, zeros=0.0):
    """Random rows, some of whose numbers are 0 but never all of them."""

    def rows(shape):
        table = rng.dirichlet(np.ones(shape[1]), shape[0])
        kept = np.where(rng.random(shape) < zeros, 0.0, table)
        table = np.where(kept.sum(axis=1, keepdims=True) > 0, kept, table)
        return table / table.sum(axis=1, keepdims=True)

    return Chain(rows((1, k))[0], rows((k, k)), rows((k, m)), NONE)


def all_paths(chain, symbols, begins):
    """Every path with its probability together with the symbols."""
    for path in itertools.product(range(chain.k), repeat=len(symbols)):
        chance = 1.0
        for t, (state, symbol) in enumerate(zip(path, symbols)):
            chance *= chain.initial[state] if begins[t] else chain.transition[path[t - 1], state]
            chance *= chain.emission[state, symbol]
        yield path, chance


@settings(max_examples=60)
@given(st.integers(1, 3), st.integers(1, 6), st.integers(0, 10_000), st.sampled_from([0.0, 0.3]))
def test_all_paths_counted(k, n, seed, zeros):
    rng = np.random.default_rng(seed)
    chain = a_chain(rng, k, 3, zeros)
    symbols, begins = rng.integers(0, 3, n), rng.random(n) < 0.25
    begins[0] = True
    paths = dict(all_paths(chain, symbols, begins))
    total = sum(paths.values())
    log_b = solver.log_emissions(chain, symbols)
    stuck = solver.first_impossible(chain, log_b, begins)
    assert (stuck >= 0) == (total == 0.0)
    if stuck >= 0:
        assert sum(chance for _, chance in all_paths(chain, symbols[: stuck + 1], begins)) == 0.0
        return
    filtered, logs = solver.forward(chain, log_b, begins)
    assert np.exp(logs.sum()) == pytest.approx(total, rel=1e-9)
    posterior = solver.smoothed(filtered, solver.backward(chain, log_b, begins, filtered))
    for t in range(n):
        for state in range(k):
            fraction = sum(chance for path, chance in paths.items() if path[t] == state) / total
            assert posterior[t, state] == pytest.approx(fraction, abs=1e-9)
    deltas, pointers = solver.viterbi(chain, log_b, begins)
    path = solver.trace_back(pointers, int(deltas[-1].argmax()))
    assert paths[tuple(path)] == pytest.approx(max(paths.values()), rel=1e-9)
    assert np.exp(deltas[-1].max()) == pytest.approx(max(paths.values()), rel=1e-9)
    assert np.exp(solver.log_joint(chain, log_b, begins, path)) == pytest.approx(paths[tuple(path)], rel=1e-9)


@pytest.mark.parametrize("zeros", [0.0, 0.25])
def test_blocks_give_what_one_by_one_gives(monkeypatch, zeros):
    rng = np.random.default_rng(5)
    chain = a_chain(rng, 4, 5, zeros)
    states = solver.draw_states(chain, 3000, rng)
    symbols = np.array([rng.choice(5, p=chain.emission[state]) for state in states])
    begins = np.zeros(3000, dtype=bool)
    begins[[0, 700, 701, 2999]] = zeros == 0.0
    begins[0] = True
    log_b = solver.log_emissions(chain, symbols)
    quick = solver.forward(chain, log_b, begins)
    quick = (*quick, solver.backward(chain, log_b, begins, quick[0]), *solver.viterbi(chain, log_b, begins))
    monkeypatch.setattr(solver, "SHORT", 10**9)
    slow = solver.forward(chain, log_b, begins)
    slow = (*slow, solver.backward(chain, log_b, begins, slow[0]), *solver.viterbi(chain, log_b, begins))
    for one, two in zip(quick[:4], slow[:4]):
        assert np.allclose(one, two, rtol=1e-9, atol=1e-12)
    ends = [solver.trace_back(found[4], int(found[3][-1].argmax())) for found in (quick, slow)]
    joints = [solver.log_joint(chain, log_b, begins, path) for path in ends]
    assert joints[0] == pytest.approx(joints[1], abs=1e-8)


@pytest.mark.parametrize("kind", ["symbols", "values", "vectors"])
def test_hmmlearn_agrees(kind):
    data = {
        "symbols": lambda: generate("casino", n=900, series=3, seed=2),
        "values": lambda: generate("gaussian_chain", n=900, states=3, series=2, noise=1.5, seed=3),
        "vectors": lambda: generate("gaussian_chain", n=900, states=4, features=3, noise=1.5, seed=4),
    }[kind]()
    model = fit("hidden_markov", data, task="evaluate").model
    theirs = CategoricalHMM(2, n_features=6) if kind == "symbols" else GaussianHMM(len(model.initial), "full")
    theirs.startprob_, theirs.transmat_ = model.initial, model.transition
    if kind == "symbols":
        theirs.emissionprob_ = model.emission
    else:
        theirs.means_, theirs.covars_ = model.emission, model.covariances
    X, lengths = np.concatenate(data.series), [len(one) for one in data.series]
    X = X[:, None] if kind == "symbols" else X
    assert model.log_likelihood == pytest.approx(theirs.score(X, lengths), rel=1e-10)
    assert np.allclose(model.posterior, theirs.predict_proba(X, lengths), atol=1e-8)
    decoded = fit("hidden_markov", data, task="decode").model
    best, path = theirs.decode(X, lengths)
    assert decoded.log_path == pytest.approx(best, rel=1e-10)
    assert np.mean(decoded.path == path) > 0.99  # ties may go either way
    assert np.array_equal(ALGORITHM.predict(decoded, data), decoded.path)


@pytest.mark.parametrize("task", ["evaluate", "decode"])
def test_the_counterpart_gives_the_same_number(task):
    for data in (generate("casino", n=80, series=2, seed=1), generate("gaussian_chain", n=70, seed=1)):
        ours = fit("hidden_markov", data, task=task)
        other = ALGORITHM.counterpart(ours.params, Case(data, 0, lambda: None))
        names = {"np": np, "data": data, "ours": ours}
        exec(other.imports, names)
        names["theirs"] = eval(other.make, names)
        assert eval(other.difference, names) < 1e-8
        assert other.package == "hmmlearn"


def test_nothing_underflows_in_ten_thousand_moments():
    data = generate("casino", n=10_000, seed=1)
    model = fit("hidden_markov", data).model
    assert model.log_likelihood < -10_000  # far below the logarithm of the smallest number
    assert np.isfinite(model.log_likelihood)
    assert model.log_path <= model.log_likelihood
    assert np.mean(model.path == data.states[0]) > 0.75
    far = Sequences([np.full(500, 1e6)])
    chain = {"chain": "by hand", "means": ((0.0,), (1.0,)), "deviations": (1.0, 1.0)}
    away = fit("hidden_markov", far, task="evaluate", **chain).model
    assert away.log_likelihood == pytest.approx(-500 * 0.5 * (1e6 - 1) ** 2, rel=1e-6)
    assert np.isfinite(away.posterior).all()


def test_identities():
    data = generate("gaussian_chain", n=300, states=3, noise=2.0, seed=5)
    model = fit("hidden_markov", data, task="evaluate").model
    assert np.allclose(model.filtered.sum(axis=1), 1.0)
    assert np.allclose(model.posterior.sum(axis=1), 1.0)
    assert np.allclose(model.posterior[-1], model.filtered[-1], atol=1e-12)
    assert np.array_equal(model.path, model.posterior.argmax(axis=1))
    uncertainty = fit("hidden_markov", data, task="evaluate").metrics["uncertainty"]
    assert uncertainty[-1] < solver.entropies(model.filtered).mean()  # looking back tells more


def test_a_chain_that_forgets_is_a_mixture():
    """With equal rows of A the states are independent: responsibilities of a mixture, and argmax of each moment."""
    data = Sequences([np.random.default_rng(0).normal(size=40) * 3.0])
    params = {"chain": "by hand", "initial": (0.3, 0.7), "transition": ((0.3, 0.7), (0.3, 0.7))}
    model = fit("hidden_markov", data, task="evaluate", **params).model
    x = data.series[0][:, 0]
    joint = np.array([0.3, 0.7]) * np.exp(-0.5 * (x[:, None] - np.array([0.0, 3.0])) ** 2)
    assert np.allclose(model.posterior, joint / joint.sum(axis=1, keepdims=True))
    assert np.array_equal(fit("hidden_markov", data, **params).model.path, joint.argmax(axis=1))


def test_the_best_path_need_not_go_through_the_most_probable_states():
    """Three states, two moments: state 1 is the likeliest first one, but the best path begins in state 2."""
    params = {
        "chain": "by hand",
        "initial": (0.4, 0.3, 0.3),
        "transition": ((0.4, 0.3, 0.3), (0.0, 1.0, 0.0), (0.3, 0.3, 0.4)),
        "probabilities": ((1.0, 1.0),) * 3,
    }
    data = Sequences([np.array([0, 1])])
    decoded = fit("hidden_markov", data, **params).model
    assert decoded.path.tolist() == [1, 1]
    assert np.exp(decoded.log_path) == pytest.approx(0.3 / 4)
    assert decoded.posterior.argmax(axis=1).tolist() == [0, 1]


def test_the_chain_is_counted_along_the_true_states():
    data = Sequences(
        [np.array([0, 0, 1, 1, 1]), np.array([1, 0])], [np.array([0, 0, 0, 1, 1]), np.array([1, 0])], ("a", "b")
    )
    run = ALGORITHM.start(data, Params(), 0)
    first = next(run)
    assert first.model.initial.tolist() == [0.5, 0.5]
    assert first.model.transition == pytest.approx(np.array([[2 / 3, 1 / 3], [1 / 2, 1 / 2]]))
    assert first.model.emission == pytest.approx(np.array([[3 / 4, 1 / 4], [0, 1]]))
    assert "counted along the true states" in first.caption
    assert first.warning == ""
    values = Sequences([np.array([1.0, 3.0, 10.0, 14.0])], [np.array([0, 0, 1, 1])])
    model = next(ALGORITHM.start(values, Params(), 0)).model
    assert model.emission.tolist() == [[2.0], [12.0]]
    assert model.covariances.tolist() == [[[1.0]], [[4.0]]]
    assert model.transition[1].tolist() == [0.0, 1.0]


def test_a_guess_is_called_a_guess():
    for data, states in ((SERIES, 0), (generate("casino", n=30), 3)):
        first = next(ALGORITHM.start(data, Params(states=states), 0))
        assert "guess" in first.caption
        assert "give it by hand" in first.warning
        assert len(first.model.initial) == (states or 2)
        assert np.allclose(first.model.transition.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("data", "params", "words"),
    [
        (SERIES, {"emissions": "symbols"}, "choose Gaussian"),
        (generate("casino", n=9), {"emissions": "Gaussian"}, "decimal point"),
        (SERIES, {"chain": "by hand", "transition": ((1.0, 0.0),)}, "square matrix"),
        (SERIES, {"chain": "by hand", "states": 3}, "there are to be 3 states"),
        (SERIES, {"chain": "by hand", "initial": (1.0,)}, "initial is given for 1"),
        (SERIES, {"chain": "by hand", "transition": ((0.0, 0.0), (1.0, 1.0))}, "Row 1 of transition"),
        (SERIES, {"chain": "by hand", "means": ((0.0, 1.0), (1.0, 1.0))}, "the means have 2 columns"),
        (SERIES, {"chain": "by hand", "deviations": (1.0,)}, "deviations is given for 1"),
        (generate("weather", n=9), {"chain": "by hand"}, "3 symbols, but the probabilities have 6 columns"),
        (
            Sequences([np.array([0, 1, 0])]),
            {"chain": "by hand", "transition": ((1.0, 0.0), (0.0, 1.0)), "probabilities": ((1.0, 0.0), (0.0, 1.0))},
            "at moment 2 every state has the probability 0",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_a_sentence(data, params, words):
    with pytest.raises(DataError, match=words) as caught:
        fit("hidden_markov", data, **params)
    assert str(caught.value).endswith(".")


def test_new_series_follow_the_chain():
    model = fit("hidden_markov", generate("casino", n=400, seed=1)).model
    drawn = ALGORITHM.sample(model, 20_000, np.random.default_rng(1))
    assert isinstance(drawn, Sequences)
    again = next(ALGORITHM.start(drawn, Params(), 0)).model
    assert again.transition == pytest.approx(model.transition, abs=0.02)
    assert again.emission == pytest.approx(model.emission, abs=0.02)
    assert drawn.sha256 == ALGORITHM.sample(model, 20_000, np.random.default_rng(1)).sha256
    model = fit("hidden_markov", generate("gaussian_chain", features=2, seed=1)).model
    drawn = ALGORITHM.sample(model, 20_000, np.random.default_rng(1))
    again = next(ALGORITHM.start(drawn, Params(), 0)).model
    assert again.emission == pytest.approx(model.emission, abs=0.1)
    assert again.covariances == pytest.approx(model.covariances, abs=0.1)


def test_new_series_must_show_the_same():
    model = fit("hidden_markov", generate("casino", n=50)).model
    with pytest.raises(DataError, match="something else"):
        ALGORITHM.predict(model, SERIES)


def test_a_moment_is_explained():
    data = generate("casino", n=40, series=2, seed=1)
    done = fit("hidden_markov", data, task="evaluate")
    answer = done.explain(45)
    assert answer["seen"].startswith("t = 6 of series 2")
    assert answer["state 1 from everything"] == pytest.approx(done.model.posterior[45, 0])
    assert answer["decoded state"] == done.model.path[45] + 1
    first = next(ALGORITHM.start(data, Params(), 0))
    assert ALGORITHM.explain(first.model, data, data.item(3))["state"] == "not reached yet"


def test_the_frames_go_forward_and_back():
    data = generate("casino", n=200, seed=1)
    frames = list(ALGORITHM.start(data, Params(), 0))
    phases = [phase for phase, _ in itertools.groupby(frame.phase for frame in frames)]
    assert phases == ["initial", "viterbi", "back", "compare"]
    assert len(frames) < 90
    assert [len(frame.model.filtered) for frame in frames[:4]] == [0, 1, 2, 3]
    trellis = frames[5].views["trellis"][0]
    assert isinstance(trellis, Trellis)
    assert trellis.known.tolist() == [True] * 5 + [False] * 7
    assert (trellis.path == -1).all()
    last = frames[-1].views["series"][0]
    assert isinstance(last, Strip)
    assert np.array_equal(last.labels[0], frames[-1].model.path)
    for frame in frames[41:81]:
        known = len(frame.model.path)
        assert np.array_equal(frame.model.path, frames[-1].model.path[200 - known :])


def test_the_window_of_the_trellis_stays_in_its_series():
    data = generate("casino", n=9, series=3, seed=1)
    for frame in ALGORITHM.start(data, Params(task="evaluate"), 0):
        trellis = frame.views["trellis"][0]
        assert trellis.points[0] % 9 == 0
        assert len(trellis.points) == 9
        if trellis.flow is not None:
            mass = trellis.flow.sum(axis=(1, 2))
            assert np.allclose(mass[mass > 0], 1.0)
