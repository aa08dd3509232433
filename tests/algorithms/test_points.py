"""Data sets: checked once at the door, locked, and never copied without need."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import DataError, Dataset, Points
from algorithms.data import MAX_CLASSES, distinct_rows

X = [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]


def test_lists_become_a_locked_table():
    data = Points(X)
    assert (data.n, data.d) == (3, 2)
    assert data.X.dtype == np.float64
    assert data.features == ("x1", "x2")
    assert (data.y, data.classes, data.target) == (None, (), "")
    assert not data.is_labelled
    assert not data.is_valued
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 1


def test_the_callers_array_stays_writeable_and_apart():
    mine = np.array(X)
    data = Points(mine)
    mine[0, 0] = 99
    assert data.X[0, 0] == 0


def test_a_locked_table_is_shared_and_not_copied():
    data = Points(X, [0.5, 1.5, 2.5])
    again = data.renamed("other")
    assert again.X is data.X
    assert again.y is data.y
    assert (data.name, again.name) == ("data", "other")


def test_a_view_of_a_table_somebody_can_write_into_is_copied():
    mine = np.array(X)
    view = mine[:]
    view.flags.writeable = False
    data = Points(view)
    mine[0, 0] = 99
    assert data.X[0, 0] == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("locked", [False, True])
def test_the_first_number_that_is_not_finite_is_named(bad, locked):
    table = np.array(X)
    table[1, 1] = bad
    table.flags.writeable = not locked
    with pytest.raises(DataError, match=r"^Row 2, column 2 is not a finite number"):
        Points(table)


@pytest.mark.parametrize("locked", [False, True])
def test_a_target_that_is_not_finite_is_named(locked):
    y = np.array([1.0, np.nan, 2.0])
    y.flags.writeable = not locked
    with pytest.raises(DataError, match=r"^The target of row 2 is not a finite number"):
        Points(X, y)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([["a", "b"]], "The features must all be numbers."),
        ([[1.0], [2.0, 3.0]], "The features must all be numbers."),
        (np.zeros((2, 2, 2)), "The features must form a table of rows and columns; got 3 dimensions."),
        (np.zeros((2, 0)), "The data set is empty: it needs at least one feature."),
    ],
)
def test_tables_that_cannot_be_used(table, sentence):
    with pytest.raises(DataError) as caught:
        Points(table)
    assert str(caught.value) == sentence


def test_one_column_may_be_a_plain_list():
    assert Points([1, 2, 3]).X.tolist() == [[1.0], [2.0], [3.0]]


def test_text_labels_become_numbers_in_alphabetical_order():
    data = Points(X, ["pear", "apple", "pear"])
    assert data.y.tolist() == [1, 0, 1]
    assert data.classes == ("apple", "pear")
    assert data.target == "class"
    assert data.is_labelled
    assert not data.is_valued


def test_whole_numbers_are_classes_and_fractions_are_values():
    assert Points(X, [7, 3, 7]).classes == ("3", "7")
    valued = Points(X, [7.0, 3.0, 7.0])
    assert valued.is_valued
    assert valued.y.tolist() == [7.0, 3.0, 7.0]
    assert valued.target == "y"


def test_the_caller_can_say_what_the_target_is():
    classes = Points.of(X, [1.0, 2.0, 1.0], "classes")
    assert (classes.classes, classes.y.tolist()) == (("1", "2"), [0, 1, 0])
    values = Points.of(X, [1, 2, 1], "values")
    assert values.is_valued
    assert values.y.dtype == np.float64
    with pytest.raises(DataError, match="must be numbers"):
        Points.of(X, ["a", "b", "c"], "values")
    with pytest.raises(DataError, match="class of row 2 is missing"):
        Points.of(X, [1.0, np.nan, 2.0], "classes")


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([1, 2], "The target has the shape (2,); 3 points need (3,)."),
        ([[1], [2], [3]], "The target has the shape (3, 1); 3 points need (3,)."),
        (np.array([1, "a", None], dtype=object), "The classes mix text and numbers; make them one or the other."),
    ],
)
def test_targets_that_cannot_be_used(y, sentence):
    with pytest.raises(DataError) as caught:
        Points(X, y)
    assert str(caught.value) == sentence


def test_given_class_names_need_class_numbers():
    data = Points(X, np.array([2, 0, 2]), classes=("a", "b", "c"))
    assert data.classes == ("a", "b", "c")
    assert data.y.tolist() == [2, 0, 2]
    with pytest.raises(DataError, match=r"^Class numbers must lie between 0 and 1\.$"):
        Points(X, np.array([2, 0, 2]), classes=("a", "b"))
    with pytest.raises(DataError, match=r"^Class numbers must be whole numbers\.$"):
        Points(X, [0.0, 1.0, 0.0], classes=("a", "b"))


def test_too_many_classes_are_refused():
    n = MAX_CLASSES + 1
    with pytest.raises(DataError, match=rf"^The target has {n} different values; at most {MAX_CLASSES} classes"):
        Points(np.zeros((n, 1)), np.arange(n))
    assert len(Points(np.zeros((n - 1, 1)), np.arange(n - 1)).classes) == MAX_CLASSES


def test_feature_names_must_match():
    assert Points(X, features=("a", "b")).features == ("a", "b")
    with pytest.raises(DataError, match=r"^There are 2 features but 3 feature names\.$"):
        Points(X, features=("a", "b", "c"))


def test_an_algorithm_asks_for_the_target_it_needs():
    labelled, valued, bare = Points(X, [1, 2, 1]), Points(X, [0.5, 1.0, 1.5]), Points(X)
    assert labelled.class_numbers("SVM").tolist() == [0, 1, 0]
    assert labelled.values("Ridge").tolist() == [0.0, 1.0, 0.0]
    assert valued.values("Ridge").tolist() == [0.5, 1.0, 1.5]
    for data in (valued, bare):
        with pytest.raises(DataError, match=r"^SVM needs a class for every point; this data set has none\.$"):
            data.class_numbers("SVM")
    with pytest.raises(DataError, match=r"^Ridge needs a target value for every point; this data set has none\.$"):
        bare.values("Ridge")


def test_a_pickle_keeps_the_lock():
    data = Points(X, ["a", "b", "a"], name="fruit")
    again = pickle.loads(pickle.dumps(data))
    assert again.X.tolist() == X
    assert (again.y.tolist(), again.classes, again.name) == ([0, 1, 0], ("a", "b"), "fruit")
    assert not again.X.flags.writeable
    assert not again.y.flags.writeable


def test_distinct_rows():
    assert distinct_rows(np.array([[1, 2], [1, 2], [2, 1]])) == 2


def test_dataset_is_the_public_name():
    assert Dataset is Points


@given(st.lists(st.sampled_from(["a", "b", "c", "dd"]), min_size=1, max_size=30))
def test_labels_can_be_read_back(labels):
    data = Points(np.zeros((len(labels), 1)), labels)
    assert [data.classes[number] for number in data.y] == labels


def test_columns_of_categories_may_be_left_without_rows():
    days = Points([[0.0], [1.0]], categories={0: ("dry", "wet")})
    none = days.rows(np.empty(0, dtype=int))
    assert (none.n, none.categories) == (0, days.categories)
    with pytest.raises(DataError, match="must hold the codes 0 to 1"):
        days.with_rows([[2.0]], None)
