"""String kernels: answers by hand, every piece written down as an oracle, what passes through a letter, the machine."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import SVC

from algorithms import DataError, Strings, find, fit
from algorithms.classification.string_kernel import solver
from algorithms.classification.string_kernel.solver import Pieces, against, gram_matrix
from algorithms.marks import Highlight, Matrix, Spans, Table
from mlviz.data.spec import load_data

STRINGS = find("string_kernel")
KINDS = ("spectrum", "subsequence")
SHORT = st.text("abc", max_size=7)


def play(data, **params):
    return list(STRINGS.start(data, STRINGS.make_params(params), 0))


def written_down(text, pieces):
    """φ of a text: every choice of p places, each with its weight. The oracle of everything."""
    found = {}
    for places in itertools.combinations(range(len(text)), pieces.length):
        span = places[-1] - places[0] + 1
        if pieces.kind == "spectrum" and span > pieces.length:
            continue
        piece = "".join(text[i] for i in places)
        found[piece] = found.get(piece, 0.0) + (1.0 if pieces.kind == "spectrum" else pieces.decay**span)
    return found


def product(one, two, pieces):
    first, second = written_down(one, pieces), written_down(two, pieces)
    return sum(weight * second.get(piece, 0.0) for piece, weight in first.items())


# --- by hand ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decay", [0.1, 0.5, 1.0])
def test_cat_and_car_share_ca(decay):
    """The example of Lodhi et al.: k(cat, car) = λ⁴, k(cat, cat) = 2λ⁴ + λ⁶, so the cosine is 1 / (2 + λ²)."""
    model = fit("string_kernel", Strings(("cat", "car")), length=2, decay=decay).model
    assert model.norms == pytest.approx([2 * decay**4 + decay**6] * 2)
    assert model.gram[0, 1] == pytest.approx(1.0 / (2.0 + decay**2))
    raw = fit("string_kernel", Strings(("cat", "car")), length=2, decay=decay, normalise=False).model
    assert raw.gram[0, 1] == pytest.approx(decay**4)


def test_neighbouring_letters_are_counted():
    """'abab' has ab twice and ba once, 'bab' has each once: 2·1 + 1·1."""
    gram = gram_matrix(("abab", "bab"), Pieces("spectrum", 2))
    assert gram.tolist() == [[5.0, 3.0], [3.0, 2.0]]


def test_a_gap_costs_the_letters_that_it_spans():
    """'ac' in 'abc' spans three letters, in 'ac' two: λ³ λ²."""
    assert against(("ac",), ("abc",), Pieces("subsequence", 2, 0.5))[0, 0] == 0.5**5


# --- the oracle and identities ----------------------------------------------------------------------------------------


@given(
    st.lists(SHORT, min_size=1, max_size=4), st.sampled_from(KINDS), st.integers(1, 4), st.sampled_from([0.3, 0.8, 1.0])
)
@settings(max_examples=60, deadline=None)
def test_the_kernel_is_the_product_of_all_pieces_written_down(texts, kind, length, decay):
    pieces = Pieces(kind, length, decay)
    wanted = [[product(one, two, pieces) for two in texts] for one in texts]
    assert gram_matrix(texts, pieces) == pytest.approx(np.array(wanted))
    assert against(texts, texts, pieces) == pytest.approx(np.array(wanted))
    tables = pieces.tables(texts[0], texts[-1])
    assert len(tables) == length
    assert tables[-1].sum() == pytest.approx(wanted[0][-1])


@given(SHORT, SHORT, st.sampled_from(KINDS), st.integers(1, 3), st.sampled_from([0.4, 1.0]))
@settings(max_examples=60, deadline=None)
def test_every_piece_passes_through_as_many_letters_as_it_has(one, two, kind, length, decay):
    pieces = Pieces(kind, length, decay)
    value = product(one, two, pieces)
    for common in pieces.common(one, two):
        assert common.sum() == pytest.approx(length if value else 0.0)
        assert (common <= 1.0 + 1e-9).all()  # no letter is used twice by a piece


def test_what_passes_through_a_letter_is_what_is_lost_without_it():
    """Replace a letter by one that nobody has: the kernel loses just what passed through the letter."""
    for kind in KINDS:
        pieces = Pieces(kind, 2, 0.6)
        one, two = "abcabb", "bacba"
        whole = product(one, two, pieces)
        common = pieces.common(one, two)[0]
        for i in range(len(one)):
            without = product(one[:i] + "#" + one[i + 1 :], two, pieces)
            assert common[i] * whole == pytest.approx(whole - without)


def test_the_spectrum_is_that_of_a_count_vectorizer():
    texts = load_data("subjects").texts
    for length in (1, 3):
        counts = CountVectorizer(analyzer="char", ngram_range=(length, length), lowercase=False).fit_transform(texts)
        assert gram_matrix(texts, Pieces("spectrum", length)) == pytest.approx((counts @ counts.T).toarray())


def test_a_small_decay_leaves_only_neighbouring_letters():
    """With λ → 0, k / λ^(2p) of subsequences is the spectrum kernel: only pieces without a gap are left."""
    texts = ("banana", "bandana", "cabana")
    close = gram_matrix(texts, Pieces("subsequence", 3, 1e-4)) / 1e-24
    assert close == pytest.approx(gram_matrix(texts, Pieces("spectrum", 3)), rel=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_the_gram_matrix_is_positive_semidefinite_with_ones_on_its_diagonal(kind):
    gram = fit("string_kernel", load_data("words"), kind=kind, length=2).model.gram
    assert np.diagonal(gram) == pytest.approx(np.ones(len(gram)))
    assert np.linalg.eigvalsh(gram)[0] > -1e-9


def test_blocks_of_texts_of_any_length_give_the_same(monkeypatch):
    texts = ["ab" * k for k in (1, 30, 2, 9, 0, 4, 4)]
    whole = gram_matrix(texts, Pieces())
    monkeypatch.setattr(solver, "_BLOCK", 40)
    assert gram_matrix(texts, Pieces()) == pytest.approx(whole, rel=1e-12)


# --- the machine ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_machine_is_that_of_libsvm_on_the_same_matrix(kind):
    data = load_data("subjects")
    ours = fit("string_kernel", data, kind=kind, tol=1e-6)
    theirs = SVC(kernel="precomputed", C=1.0, tol=1e-6).fit(ours.model.gram, data.y)
    alpha = np.zeros(data.n)
    alpha[theirs.support_] = np.abs(theirs.dual_coef_[0])
    assert ours.model.alpha == pytest.approx(alpha, abs=1e-3)
    assert ours.model.machines.bias[0] == pytest.approx(theirs.intercept_[0], abs=1e-3)
    assert np.array_equal(ours.predict(data), theirs.predict(ours.model.gram))


def test_new_texts_get_the_class_whose_pieces_they_have():
    data = load_data("subjects")
    ours = fit("string_kernel", data, length=4)
    new = Strings(("Win a free prize now", "Agenda of the meeting on Tuesday", "", "a"))
    answers = ours.predict(new)
    assert [data.classes[k] for k in answers[:2]] == ["spam", "ham"]
    assert answers.shape == (4,)
    assert [ours.predict(Strings((text,)))[0] for text in new.texts] == answers.tolist()


def test_several_classes_have_a_machine_each_against_the_rest():
    data = load_data("words")
    frames = play(data, kind="spectrum", length=2)
    assert frames[-1].model.machines.alpha.shape == (4, data.n)
    assert frames[-1].metrics["error"] < 0.1
    assert np.array_equal(STRINGS.predict(frames[-1].model, data) == data.y, _right(frames[-1].model, data))


def _right(model, data):
    return model.machines.decisions(model.gram).argmax(axis=1) == data.y


@pytest.mark.parametrize(
    ("spec", "kind"), [("subjects", "spectrum"), ("subjects", "subsequence"), ("words", "spectrum")]
)
def test_the_letters_of_a_text_add_up_to_its_decision(spec, kind):
    data = load_data(spec)
    model = play(data, kind=kind)[-1].model
    values = model.machines.decisions(model.gram)
    labels = model.machines.labels(values)
    for k, pulls in enumerate(model.pulls):
        machine = 0 if model.machines.classes == 2 else labels[k]
        assert len(pulls) == len(data.texts[k])
        assert pulls.sum() == pytest.approx(values[k, machine] - model.machines.bias[machine], abs=1e-9)


# --- what is seen -----------------------------------------------------------------------------------------------------


def mark_of(frame, panel, kind):
    return next((mark for mark in frame.views[panel] if isinstance(mark, kind)), None)


def test_the_table_fills_letter_by_letter_and_the_matching_letters_are_lit():
    frames = play(Strings(("cat", "car", "dog")), length=2, decay=0.5)
    tables = [frame for frame in frames if frame.phase == "recursion"]
    assert len(tables) == 6  # two layers of three letters
    first = mark_of(tables[0], "recursion", Table)
    assert first.rows == ("c", "a", "t")
    assert first.columns == ("c", "a", "r")
    assert first.unknown.tolist() == [[False] * 3, [True] * 3, [True] * 3]
    assert first.values[0].tolist() == [0.25, 0.0, 0.0]
    spans = mark_of(tables[0], "texts", Spans)
    assert list(zip(spans.texts, spans.start, spans.end)) == [(0, 0, 1), (1, 0, 1)]
    last = next(frame for frame in frames if frame.phase == "value")
    assert last.metrics["kernel"] == 0.5**4
    spans = mark_of(last, "texts", Spans)
    assert sorted(zip(spans.texts.tolist(), spans.start.tolist())) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_neighbouring_letters_are_lit_as_whole_pieces():
    frames = play(Strings(("xabc", "abcx")), kind="spectrum", length=3)
    last = [frame for frame in frames if frame.phase == "recursion"][-1]
    spans = mark_of(last, "texts", Spans)
    assert list(zip(spans.texts, spans.start, spans.end)) == [(0, 1, 4), (1, 0, 3)]


def test_the_pair_is_the_most_alike_one_or_the_one_that_is_asked_for():
    data = Strings(("banana", "xyz", "bandana"))
    assert mark_of(play(data)[0], "texts", Highlight).points.tolist() == [0, 2]
    far = Strings(("banana", *["xyz"] * 9, "cabana", "banana"))
    assert mark_of(play(far)[0], "texts", Highlight).points.tolist() == [0, 10]  # the equal one is out of view
    assert mark_of(play(data, first=3, second=2)[0], "texts", Highlight).points.tolist() == [1, 2]
    assert mark_of(play(data, first=9, second=9)[0], "texts", Highlight).points.tolist() == [2]


def test_the_matrix_fills_row_by_row_in_the_order_of_the_classes():
    data = Strings(("ab", "ba", "ab", "bb"), ["x", "y", "x", "y"])
    frames = [frame for frame in play(data, length=1) if frame.phase == "gram"]
    assert [int(frame.metrics["rows"]) for frame in frames] == [1, 2, 3, 4]
    matrix = mark_of(frames[1], "gram", Matrix)
    assert matrix.points.tolist() == [0, 2, 1, 3]
    assert (~matrix.unknown).sum() == 4
    assert mark_of(frames[-1], "gram", Matrix).unknown is None


def test_at_the_end_the_letters_have_the_colour_of_the_class_that_they_speak_for():
    data = Strings(("aaab", "aaba", "bbba", "bbab"), ["first", "first", "second", "second"])
    frame = play(data, length=2, kind="spectrum")[-1]
    spans = mark_of(frame, "texts", Spans)
    lit = {(text, start): group for text, start, group in zip(spans.texts, spans.start, spans.groups)}
    assert lit[0, 0] == 0
    assert lit[2, 0] == 1
    assert spans.group_names == ("for first", "for second")


# --- sentences --------------------------------------------------------------------------------------------------------


def test_texts_without_classes_have_a_matrix_and_no_machine():
    frames = play(Strings(("abc", "abd", "xyz")))
    assert frames[-1].phase == "done"
    assert frames[-1].caption.startswith("The texts have no classes")
    with pytest.raises(DataError, match="no classes"):
        STRINGS.predict(frames[-1].model, Strings(("abc",)))


def test_one_class_is_named():
    assert "nothing to decide" in play(Strings(("abc", "abd"), ["x", "x"]))[-1].caption


def test_texts_without_a_piece_are_named():
    frames = play(Strings(("abcd", "a", "abc"), [0, 1, 1]))
    assert frames[-1].warning == "1 text is shorter than 3 letters: without a piece k with every text is 0."
    assert np.isfinite(frames[-1].model.gram).all()


def test_too_much_is_refused_with_a_sentence():
    with pytest.raises(DataError, match="up to 2,000"):
        play(Strings(("a" * 2001, "b")))
    with pytest.raises(DataError, match="3,001 texts"):
        play(Strings(("a",) * 3001))
    with pytest.raises(DataError, match="The spectrum kernel is faster"):
        play(Strings(("ab" * 1000,) * 40))


def test_explain_names_the_nearest_text_and_the_strongest_letters():
    fitted = fit("string_kernel", Strings(("banana", "bandana", "xyzxyz", "xyzyz"), ["fruit", "fruit", "end", "end"]))
    answer = fitted.explain(0)
    assert answer["most similar"] == "“bandana”"
    assert answer["predicted"] == "fruit"
    assert "'a'" in answer["strongest letters"]
