"""Edits of the data: what is counted, what is kept, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from algorithms import DataError, Points
from mlviz.session import edits
from mlviz.session.document import Document
from mlviz.session.edits import Draft
from mlviz.session.history import History

PLANE = (0, 1)
places = arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=st.floats(-1e6, 1e6, width=32))


def labelled(n=6, d=2):
    rng = np.random.default_rng(n * 10 + d)
    return Points(rng.normal(size=(n, d)), np.arange(n) % 3, classes=("red", "green", "blue"), name="sample")


def same(one, other):
    equal_y = one.y is other.y is None or np.array_equal(one.y, other.y)
    return np.array_equal(one.X, other.X) and equal_y and one.classes == other.classes and one.name == other.name


@given(at=places, group=st.integers(0, 2))
def test_added_points_are_where_they_were_put_and_nothing_else_has_changed(at, group):
    before = Draft.of(labelled())
    after = edits.add(before, PLANE, at, group)
    assert after.data.n == 6 + len(at)
    assert np.array_equal(edits.positions(after.data, PLANE)[6:], at)
    assert (after.data.y[6:] == group).all()
    assert np.array_equal(after.data.X[:6], before.data.X)
    assert after.data.classes == ("red", "green", "blue")
    assert after.data.name == "sample"
    assert after.origin(before).tolist() == [*range(6), *[-1] * len(at)]


@given(at=places)
def test_erasing_what_was_added_gives_the_data_back(at):
    before = Draft.of(labelled())
    after = edits.add(before, PLANE, at, 1)
    assert same(edits.erase(after, np.arange(6, after.data.n)).data, before.data)


@given(at=places, kept=st.sets(st.integers(0, 5), min_size=1, max_size=5))
def test_identities_follow_points_through_erasing_and_adding(at, kept):
    before = Draft.of(labelled())
    gone = np.array(sorted(set(range(6)) - kept))
    after = edits.add(edits.erase(before, gone), PLANE, at, 0)
    origin = after.origin(before)
    assert origin[: len(kept)].tolist() == sorted(kept)
    assert np.array_equal(after.data.X[: len(kept)], before.data.X[sorted(kept)])


@given(shift=st.tuples(st.floats(-10, 10), st.floats(-10, 10)), which=st.sets(st.integers(0, 5)))
def test_moving_there_and_back_keeps_the_others_exactly(shift, which):
    before = Draft.of(labelled(d=4))
    points = np.array(sorted(which), dtype=int)
    at = edits.positions(before.data, (2, 0))[points]
    moved = edits.move(before, (2, 0), points, at + shift)
    rest = np.setdiff1d(np.arange(6), points)
    assert np.array_equal(moved.data.X[rest], before.data.X[rest])
    assert np.array_equal(moved.data.X[:, [1, 3]], before.data.X[:, [1, 3]])
    assert same(edits.move(moved, (2, 0), points, at).data, before.data)


def test_new_points_get_the_means_of_the_features_that_are_not_seen():
    data = Points([[0.0, 1.0, 10.0], [2.0, 3.0, 30.0]])
    after = edits.add(Draft.of(data), (1, 0), np.array([[5.0, 7.0]]))
    assert after.data.X[2].tolist() == [7.0, 5.0, 20.0]


def test_over_one_feature_the_height_is_the_target():
    data = Points([[0.0], [1.0]], [3.0, 4.0], target="price")
    after = edits.add(Draft.of(data), PLANE, np.array([[2.0, 9.0]]))
    assert (after.data.X[2, 0], after.data.y[2], after.data.target) == (2.0, 9.0, "price")
    moved = edits.move(after, PLANE, np.array([0]), np.array([[-1.0, 8.0]]))
    assert (moved.data.X[0, 0], moved.data.y[0]) == (-1.0, 8.0)
    assert moved.data.y[1:].tolist() == [4.0, 9.0]


def test_over_one_feature_with_classes_only_the_place_on_the_axis_counts():
    data = Points([[0.0], [1.0]], ["a", "b"])
    after = edits.add(Draft.of(data), PLANE, np.array([[2.0, 9.0]]), 1)
    assert after.data.X.ravel().tolist() == [0.0, 1.0, 2.0]
    assert after.data.y.tolist() == [0, 1, 1]


def test_a_target_that_is_no_axis_is_taken_over_from_the_nearest_point():
    data = Points([[0.0, 0.0], [1.0, 100.0]], [3.0, 4.0])
    after = edits.add(Draft.of(data), PLANE, np.array([[0.1, 20.0], [0.9, 70.0]]))
    assert after.data.y.tolist() == [3.0, 4.0, 3.0, 4.0]


def test_data_without_a_target_stays_without():
    after = edits.add(Draft.of(Points([[0.0, 0.0]])), PLANE, np.array([[1.0, 1.0]]), 4)
    assert after.data.y is None
    assert after.data.n == 2


def test_all_points_can_be_erased_and_others_drawn():
    draft = edits.erase(Draft.of(labelled()), np.arange(6))
    assert (draft.data.n, draft.data.classes) == (0, labelled().classes)
    again = edits.add(draft, PLANE, np.array([[1.0, 2.0], [3.0, 4.0]]), group=1)
    assert again.data.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert again.data.y.tolist() == [1, 1]
    assert again.origin(draft).tolist() == [-1, -1]


def test_what_changes_nothing_is_the_same_draft():
    draft = Draft.of(labelled())
    nothing = np.empty(0, dtype=int)
    assert edits.add(draft, PLANE, np.empty((0, 2))) is draft
    assert edits.erase(draft, nothing) is draft
    assert edits.move(draft, PLANE, nothing, np.empty((0, 2))) is draft
    assert edits.relabel(draft, nothing, 1) is draft
    assert edits.relabel(draft, np.array([1, 4]), 1) is draft  # they are in it already


def test_relabelling_changes_the_class_of_these_points_only():
    after = edits.relabel(Draft.of(labelled()), np.array([0, 1]), 2)
    assert after.data.y.tolist() == [2, 2, 2, 0, 1, 2]


def test_relabelling_needs_classes():
    with pytest.raises(DataError, match="needs a class"):
        edits.relabel(Draft.of(Points([[0.0, 1.0]])), np.array([0]), 0)


def test_the_class_after_the_last_begins_with_its_first_point():
    after = edits.add(Draft.of(labelled()), PLANE, np.array([[1.0, 1.0]]), 3)
    assert after.data.classes == ("red", "green", "blue", "class 4")
    assert after.data.y[-1] == 3
    with pytest.raises(DataError, match="no class 6"):
        edits.add(Draft.of(labelled()), PLANE, np.array([[1.0, 1.0]]), 5)


def test_as_many_classes_can_be_drawn_as_can_be_loaded():
    data = Points(np.zeros((9, 2)), np.arange(9), classes=tuple("abcdefghi"))
    assert edits.with_class(data, 9).classes[-1] == "class 10"
    full = Points(np.zeros((64, 2)), np.arange(64), classes=tuple(map(str, range(64))))
    with pytest.raises(DataError, match="At most 64"):
        edits.with_class(full, 64)


@pytest.mark.parametrize(
    ("classes", "name"),
    [(("1", "2"), "3"), (("0", "7"), "8"), ((), "1"), (("a", "b"), "class 3"), (("class 3", "b"), "class 4")],
)
def test_a_new_class_is_named_in_the_manner_of_the_others(classes, name):
    assert edits.next_class_name(classes) == name


def test_a_class_can_be_renamed_but_not_to_nothing_or_to_another_one():
    assert edits.renamed_class(labelled().classes, 1, " leaf ") == ("red", "leaf", "blue")
    assert edits.renamed_class(labelled().classes, 1, "green") == ("red", "green", "blue")
    with pytest.raises(DataError, match="named red already"):
        edits.renamed_class(labelled().classes, 1, "red")
    with pytest.raises(DataError, match="needs a name"):
        edits.renamed_class(labelled().classes, 1, "  ")


def test_jitter_spreads_as_asked_and_attract_goes_a_share_of_the_way():
    draft = Draft.of(Points(np.zeros((4000, 2))))
    shaken = edits.jitter(draft, PLANE, np.arange(4000), (2.0, 0.5), np.random.default_rng(0)).data.X
    assert shaken.std(axis=0) == pytest.approx([2.0, 0.5], rel=0.05)
    drawn = edits.attract(draft, PLANE, np.array([3]), np.array([4.0, -8.0]), 0.25).data.X
    assert drawn[3].tolist() == [1.0, -2.0]
    assert not drawn[[0, 1, 2, 4]].any()


# -- places --------------------------------------------------------------------------------------------------------


def test_sprayed_points_fill_the_ellipse_evenly():
    at = edits.sprayed(np.random.default_rng(0), np.array([[1.0, 2.0]]), (2.0, 0.5), 8000)
    gap = np.hypot(*((at - (1.0, 2.0)) / (2.0, 0.5)).T)
    assert gap.max() <= 1.0
    assert (gap < np.sqrt(0.5)).mean() == pytest.approx(0.5, abs=0.03)  # half of the area, half of the points


def test_a_line_has_both_ends_and_equal_steps():
    assert edits.along(np.zeros(2), np.array([4.0, 2.0]), 5).tolist() == [[0, 0], [1, 0.5], [2, 1], [3, 1.5], [4, 2]]


@given(stops=st.lists(st.floats(0.01, 5.0), min_size=1, max_size=8))
def test_the_spray_does_not_thin_out_however_the_way_is_cut_into_events(stops):
    radii, count, left_over, last = (2.0, 1.0), 0, 0.0, np.zeros(2)
    for stop in stops:
        place = last + (stop, 0.0)
        centres, left_over = edits.dabs(last, place, radii, left_over)
        count, last = count + len(centres), place
    assert abs(count - sum(stops) / 2.0 / 0.5) <= 1.0 + 1e-6  # one dab every half radius


# -- which points --------------------------------------------------------------------------------------------------


def test_the_brush_touches_what_is_near_its_way():
    at = np.array([[0.0, 0.0], [5.0, 0.9], [5.0, 1.1], [10.9, 0.0], [11.1, 0.0], [-1.5, 0.0]])
    assert edits.under_brush(at, np.zeros(2), np.array([10.0, 0.0]), (1.0, 1.0)).tolist() == [0, 1, 3]
    assert edits.under_brush(at, np.zeros(2), np.zeros(2), (2.0, 1.0)).tolist() == [0, 5]


def test_a_rectangle_takes_its_corners_in_any_order():
    at = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 1.0]])
    assert edits.in_rectangle(at, np.array([2.0, 2.0]), np.array([0.5, 0.5])).tolist() == [1]


@settings(max_examples=60)
@given(at=places, corners=arrays(float, (5, 2), elements=st.floats(-50, 50, width=16)))
def test_a_lasso_agrees_with_the_winding_of_the_line_by_angles(at, corners):
    """The even-odd rule is the parity of the winding number, here summed up from angles instead of crossings."""
    at = np.clip(at, -60, 60)
    ends = np.roll(corners, -1, axis=0)
    step = ends - corners
    gap = at[:, None] - corners
    length = np.maximum((step**2).sum(axis=1), 1e-12)
    fraction = np.clip((gap * step).sum(axis=2) / length, 0, 1)
    clear = np.hypot(*np.moveaxis(gap - fraction[..., None] * step, 2, 0)).min(axis=1) > 1e-3
    one, other = corners - at[:, None], ends - at[:, None]
    cross = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
    turns = np.rint(np.arctan2(cross, (one * other).sum(axis=2)).sum(axis=1) / (2 * np.pi)).astype(int)
    inside = np.isin(np.arange(len(at)), edits.in_polygon(at, corners))
    assert (inside[clear] == (turns % 2 == 1)[clear]).all()


# -- undo ----------------------------------------------------------------------------------------------------------


@given(at=places)
def test_a_stroke_is_one_undo_step_that_gives_back_the_very_same_data(at):
    document = Document(labelled(), "first")
    history = History(document)
    draft = Draft.of(document.data)
    for place in at:
        draft = edits.add(draft, PLANE, place, 0)
        history.push(document.with_data(draft.data), merge="stroke 1", label="draw")
    history.seal()
    assert history.current.data.n == 6 + len(at)
    assert history.undo() is document
    assert not history.can_undo
    assert history.redo().data is draft.data


def test_edits_keep_the_shape_of_pictures_and_the_codes_of_categories():
    pictures = Draft.of(Points(np.arange(12.0).reshape(3, 4), [0, 1, 0], image_shape=(2, 2)))
    coded = Draft.of(Points([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]], [0, 1, 0], categories={1: ("x", "y", "z")}))
    which = np.array([0])
    for draft in (pictures, coded):
        for edited in (
            edits.add(draft, PLANE, np.array([[0.3, 7.2], [0.1, 1.4]])),
            edits.move(draft, PLANE, which, np.array([[0.3, 0.6]])),
            edits.erase(draft, which),
            edits.relabel(draft, which, 1),
            edits.jitter(draft, PLANE, which, (1.0, 1.0), np.random.default_rng(0)),
        ):
            assert edited.data.image_shape == draft.data.image_shape
            assert edited.data.categories == draft.data.categories
    assert edits.add(coded, PLANE, np.array([[0.3, 7.2], [0.1, 1.4]])).data.X[3:].tolist() == [[0.3, 2.0], [0.1, 1.0]]
    assert edits.move(coded, PLANE, which, np.array([[0.3, 0.6]])).data.X[0].tolist() == [0.3, 1.0]


def test_the_first_row_needs_no_others():
    none = labelled().rows(np.empty(0, dtype=int))
    assert edits.levels(none) == (0.0, 1.0)
    assert edits.with_row(none, np.array([1.0, 2.0]), 2).y.tolist() == [2]
    values = Points(np.empty((0, 2)), np.empty(0))
    assert edits.with_row(values, np.array([1.0, 2.0])).y.tolist() == [0.0]
    one = edits.with_row(Points([[0.0, 0.0], [5.0, 5.0]], [1.5, 2.5]), np.array([4.0, 4.0]))
    assert one.y.tolist() == [1.5, 2.5, 2.5]


def test_all_points_with_categories_can_be_erased_and_others_drawn():
    days = Points([[0.0, 1.0], [1.0, 0.0]], [0, 1], categories={0: ("dry", "wet")})
    none = edits.erase(Draft(days, np.arange(2)), np.array([0, 1])).data
    assert none.n == 0
    drawn = edits.add(Draft(none, np.empty(0, dtype=int)), PLANE, np.array([[0.8, 3.0]]), 1).data
    assert (drawn.n, drawn.categories) == (1, days.categories)
