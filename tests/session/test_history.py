"""Undo and redo, against a model that keeps whole lists."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from algorithms import Points, registry
from mlviz.session.document import Document
from mlviz.session.history import History


def test_undo_and_redo_walk_through_the_documents_and_their_labels(data):
    first = Document(data, "first")
    second, third = first.with_params(k=4), first.with_params(k=5)
    history = History(first)
    assert (history.can_undo, history.can_redo, history.undo_text) == (False, False, "")
    history.push(second, label="Change k to 4")
    history.push(third, label="Change k to 5")
    assert (history.current, history.undo_text) == (third, "Change k to 5")
    assert history.undo() is second
    assert (history.undo_text, history.redo_text) == ("Change k to 4", "Change k to 5")
    assert history.undo() is first
    assert history.undo() is first
    assert (history.can_undo, history.redo_text) == (False, "Change k to 4")
    assert history.redo() is second
    assert history.redo() is third
    assert history.redo() is third


def test_a_new_change_forgets_what_was_undone(data):
    history = History(Document(data, "first"))
    history.push(history.current.with_seed(1), label="a")
    history.undo()
    history.push(history.current.with_seed(2), label="b")
    assert (history.can_redo, history.current.seed) == (False, 2)
    assert history.undo().seed == 0


def test_a_drag_is_one_step_until_it_is_sealed(data):
    history = History(Document(data, "first"))
    for seed in (1, 2, 3):
        history.push(history.current.with_seed(seed), merge="drag", label="Drag")
    history.seal()
    history.push(history.current.with_seed(4), merge="drag", label="Drag again")
    history.push(history.current.with_seed(5), merge="other")
    assert [history.undo().seed for _ in range(3)] == [4, 3, 0]
    assert not history.can_undo
    assert [history.redo().seed for _ in range(3)] == [3, 4, 5]


def test_an_undo_ends_the_merging(data):
    history = History(Document(data, "first"))
    history.push(history.current.with_seed(1))
    history.push(history.current.with_seed(2), merge="drag")
    history.undo()
    history.push(history.current.with_seed(3), merge="drag")
    assert history.undo().seed == 1


def test_a_document_without_change_is_no_step(data):
    history = History(Document(data, "first"))
    history.push(history.current.with_seed(1))
    history.undo()
    history.push(history.current.with_params(k=3))
    assert (history.can_undo, history.can_redo) == (False, True)


def test_shared_data_is_counted_once_and_thousands_of_steps_fit():
    data = Points(np.zeros((10_000, 2)))
    history = History(Document(data, "first"), budget=10 * 2**20)
    for seed in range(1, 2001):
        history.push(history.current.with_seed(seed))
    assert history.nbytes < 10 * 2**20
    for seed in range(1999, -1, -1):
        assert history.undo().seed == seed


def test_the_oldest_steps_are_forgotten_when_the_data_itself_changes():
    each = 8 * 2 * 10_000
    history = History(Document(Points(np.zeros((10_000, 2))), "first"), budget=10 * each)
    for number in range(1, 50):
        history.push(history.current.with_data(Points(np.full((10_000, 2), float(number)))))
        assert history.nbytes <= 10 * each
    numbers = []
    while history.can_undo:
        numbers.append(history.undo().data.X[0, 0])
    assert numbers == list(range(48, 48 - len(numbers), -1))
    assert len(numbers) == 8
    assert history.nbytes <= 10 * each


def test_the_current_document_stays_even_when_it_is_too_large(data):
    history = History(Document(data, "first"), budget=1)
    history.push(history.current.with_seed(1))
    assert (history.current.seed, history.can_undo) == (1, False)


class HistoryMachine(RuleBasedStateMachine):
    """The oracle: a list of all states and a position in it."""

    @initialize()
    def begin(self):
        self.history = History(Document(Points([[0.0, 1.0]]), registry.all_algorithms()[0].key))
        self.states = [self.history.current]
        self.labels = [""]
        self.position = 0
        self.merge = None

    @rule(seed=st.integers(0, 3), merge=st.sampled_from([None, "a", "b"]), label=st.text(max_size=3))
    def push(self, seed, merge, label):
        document = self.history.current.with_seed(seed)
        self.history.push(document, merge, label)
        if seed == self.states[self.position].seed:
            return
        if merge is not None and merge == self.merge:
            self.states[self.position :] = [document]
            del self.labels[self.position + 1 :]
        else:
            self.position += 1
            self.states[self.position :] = [document]
            self.labels[self.position :] = [label]
        self.merge = merge

    @rule()
    def seal(self):
        self.history.seal()
        self.merge = None

    @rule()
    def undo(self):
        self.position = max(self.position - 1, 0)
        self.merge = None
        assert self.history.undo() is self.states[self.position]

    @rule()
    def redo(self):
        self.position = min(self.position + 1, len(self.states) - 1)
        self.merge = None
        assert self.history.redo() is self.states[self.position]

    @invariant()
    def agrees(self):
        assert self.history.current is self.states[self.position]
        assert self.history.can_undo == (self.position > 0)
        assert self.history.can_redo == (self.position < len(self.states) - 1)
        assert self.history.undo_text == self.labels[self.position]
        assert self.history.redo_text == (self.labels[self.position + 1] if self.history.can_redo else "")

    @invariant()
    def counts_what_it_holds(self):
        fresh = History(self.states[0])
        for state in self.states[1:]:
            fresh._meter.add(state)
        assert self.history.nbytes == fresh.nbytes


HistoryMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestHistoryMachine = HistoryMachine.TestCase


def test_steps_that_had_to_go_are_counted(data):
    history = History(Document(data, "first"), budget=0)
    assert history.forgotten == 0
    history.push(Document(Points(data.X + 1.0), "first"))
    assert not history.can_undo
    assert history.forgotten == 1
