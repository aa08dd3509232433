"""The cascade: rates that multiply, thresholds, stages and windows by hand and by brute force."""

import itertools

import numpy as np
import pytest

from algorithms import DataError, Points, fit
from algorithms.ensembles.cascade import ALGORITHM, Model, Params, predict, solver
from algorithms.ensembles.cascade.solver import Columns, Lens, Stage, scene
from algorithms.ensembles.cascade.solver.integral_images import haar_features
from mlviz.data.spec import load_data

FEW = load_data("blobs_imbalanced(n=300,noise=1.5,centres=2,imbalance=10,spread=2,seed=3)")


def frames(data, seed=0, **params):
    return list(ALGORITHM.start(data, ALGORITHM.make_params(params), seed))


def stump(threshold, column=0, cut=0.0):
    """A stage of one stump: +1 above the cut."""
    return Stage(np.array([column]), np.array([cut]), np.array([1.0]), np.array([1.0]), threshold)


# --- rates ------------------------------------------------------------------------------------------------------------


def test_ten_stages_of_the_slides():
    model = Model((), np.tile([0.99, 0.3], (10, 1)), np.empty((0, 2)), None)
    assert model.detection == pytest.approx(0.904382, abs=1e-6)
    assert model.false_positives == pytest.approx(5.9049e-6)


def test_the_curves_of_the_slides_are_drawn():
    rates = frames(FEW, stages=10)[0].views["rates"]
    assert rates[0].y[10] == pytest.approx(0.904382, abs=1e-6)
    assert rates[1].y[10] == pytest.approx(5.9049e-6)


@pytest.mark.parametrize("data", [FEW, load_data("masks(n=300,fraction=0.2,seed=2)")], ids=["points", "pictures"])
def test_the_product_of_the_rates_is_the_rate_of_the_cascade(data):
    """Without new windows every stage goes on with what passed, so the fractions telescope."""
    last = frames(data, held_out=0.0, mining=False, stages=5)[-1]
    passes = predict(last.model, data.X) == 1
    targets = data.y == 1
    assert last.model.detection == pytest.approx(passes[targets].mean())
    assert last.model.false_positives == pytest.approx(passes[~targets].mean())
    assert last.model.detection >= 0.99 ** len(last.model.stages)


def test_fewer_are_left_after_every_stage_and_the_classes_even_out():
    drops = [frame for frame in frames(FEW, stages=6) if frame.phase == "drop"]
    others = [frame.metrics["others"] for frame in drops]
    targets = [frame.metrics["targets"] for frame in drops]
    assert all(after <= before for before, after in itertools.pairwise(others))
    ratios = np.array(targets) / np.maximum(others, 1.0)
    assert ratios[-1] > 3.0 * (FEW.y == 1).mean()


def test_every_stage_keeps_what_it_was_asked_to():
    last = frames(FEW, held_out=0.0, detection=0.95, false_positives=0.5, stages=4)[-1]
    assert (last.model.rates[:, 0] >= 0.95).all()
    assert (last.model.rates[:-1, 1] <= 0.5).all()


def test_always_saying_no_is_wrong_on_the_targets_only():
    caption = frames(FEW)[0].caption
    assert f"{100 * (FEW.y == 1).mean():.3g} %" in caption


def test_held_out_points_are_not_learned_from():
    one = frames(FEW, held_out=0.5, stages=2)[-1].model
    held = solver.split(np.where(FEW.y == 1, 1.0, -1.0), 0.5, np.random.default_rng(0))
    assert held.sum() == (FEW.y == 0).sum() // 2 + (FEW.y == 1).sum() // 2
    X = np.array(FEW.X)
    X[held] += 100.0  # far away, where they would change every threshold
    moved = frames(Points(X, FEW.y, classes=FEW.classes), held_out=0.5, stages=2)[-1].model
    for before, after in zip(one.stages, moved.stages, strict=True):
        assert (before.cuts == after.cuts).all()
        assert before.threshold == after.threshold


# --- thresholds and stages --------------------------------------------------------------------------------------------


def test_the_threshold_by_hand():
    scores = np.array([-2.0, -1.0, 0.5, 2.0, -3.0, -1.5, 1.0])
    y = np.array([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    assert solver.lowered(scores, y, 3.0, 1.0) == -2.5  # all four pass; halfway to -3
    assert solver.lowered(scores, y, 3.0, 0.75) == -1.25  # one may be lost: -1 is the lowest, -1.5 the next below
    assert solver.lowered(scores, y, 3.0, 0.5) == 0.0  # never above 0


def test_weights_of_the_classes():
    y = np.array([1.0, -1.0, -1.0, -1.0, -1.0])
    assert solver.balanced(y, 1.0).tolist() == pytest.approx([0.5, 0.125, 0.125, 0.125, 0.125])
    assert solver.balanced(y, 3.0)[0] == pytest.approx(0.75)


def test_decisions_by_hand():
    """Two stages: x1 must be above 0, then x2; each score is -1 or 1."""
    stages = (stump(0.0, 0), stump(0.0, 1))
    passed, decision = solver.passing(stages, Columns(np.array([[-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])), 3)
    assert passed.tolist() == [0, 1, 2]
    assert decision.tolist() == [-1.0, -0.5, 1.0]


def test_an_interval_needs_two_stumps():
    """Targets between 2 and 3: one stump leaves one side open, the second stage closes it."""
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    y = np.array([0, 0, 1, 1, 0, 0])
    fitted = fit("cascade", X, y, held_out=0.0, false_positives=0.5, stages=2)
    assert [len(stage.votes) for stage in fitted.model.stages] == [1, 1]
    assert sorted(float(stage.cuts[0]) for stage in fitted.model.stages) == [1.5, 3.5]
    assert fitted.predict(X).tolist() == [0, 0, 1, 1, 0, 0]
    assert fitted.model.rates.tolist() == [[1.0, 0.5], [1.0, 0.0]]


def test_no_stump_is_better_than_chance():
    X, y = np.zeros((8, 2)), np.arange(8) % 2
    last = frames(Points(X, y))[-1]
    assert last.model.stages == ()
    assert "No stump" in last.caption


def test_three_classes_are_refused():
    with pytest.raises(DataError, match="first two classes"):
        frames(Points(np.eye(3), [0, 1, 2]))


def test_an_explanation_ends_where_the_point_is_dropped():
    last = frames(FEW, stages=3)[-1].model
    kept, dropped = (int(np.flatnonzero(predict(last, FEW.X) == k)[0]) for k in (1, 0))
    said = ALGORITHM.explain(last, FEW, FEW.item(kept))
    assert said["result"] == f"passes all {len(last.stages)} stages"
    said = ALGORITHM.explain(last, FEW, FEW.item(dropped))
    assert said["result"].startswith("dropped by stage")
    assert "<" in list(said.values())[-2]


# --- pictures and scenes ----------------------------------------------------------------------------------------------

MASKS = load_data("masks(n=300,fraction=0.2,seed=1)")
LENS = Lens.of(MASKS, (16, 16), True, np.zeros(MASKS.n, dtype=bool))


def test_what_is_learned_on_pictures_finds_targets_in_a_scene():
    played = frames(load_data("masks(n=700,fraction=0.2,seed=4)"), stages=5, seed=1)
    assert [frame.phase for frame in played[:34]] == ["start"] + ["integral"] * 16 + ["slide"] * 16 + ["round"]
    last = played[-1].model
    assert last.held_out[:, 0].prod() > 0.6
    assert last.held_out[:, 1].prod() < 0.1
    image = played[-1].views["scene"][0]
    truth, found = (boxes.at[:, 1:] for boxes in image.boxes)
    assert scene.hits(found, truth)[0] >= 4


def test_light_makes_no_difference_to_a_normalised_cascade():
    last = frames(MASKS, stages=2)[-1].model
    pictures = np.array(MASKS.X)
    assert (predict(last, 0.5 * pictures + 0.2) == predict(last, pictures)).all()


def test_a_window_is_judged_like_the_picture_in_it():
    rng = np.random.default_rng(0)
    sweep = scene.Sweep.of(scene.quilt(LENS.pictures(MASKS.X[MASKS.y == 0]), rng, (2, 2)), LENS)
    stage = frames(MASKS, stages=1)[-1].model.stages[0]
    small, corners = sweep.parts[0]
    chosen = np.arange(0, len(corners), 40)
    crops = np.stack([sweep.scene[t : t + 16, x : x + 16] for t, x in corners[chosen]])
    as_pictures = stage.scores(LENS.windows(LENS.low + LENS.span * crops.reshape(len(crops), -1)))
    assert stage.scores(small.some(chosen)) == pytest.approx(as_pictures)
    assert sweep.after(stage).count == sum(int(stage.passes(windows).sum()) for windows, _ in sweep.parts)


def test_the_windows_of_a_scene_are_counted():
    sweep = scene.Sweep.of(np.zeros((96, 192)), LENS)
    assert sweep.total == 81 * 177 + 37 * 85 + 33 * 81  # sides 16, 24 and 32 in steps of 1, 2 and 2
    assert sweep.boxes().shape == (sweep.total, 4)
    assert sweep.drawn(100, np.random.default_rng(0)).count == 100


def test_a_scene_hides_targets_apart_from_each_other():
    rng = np.random.default_rng(3)
    pictures = LENS.pictures(MASKS.X)
    drawn, truth = scene.with_targets(scene.quilt(pictures[MASKS.y == 0], rng), pictures[MASKS.y == 1][:6], rng)
    assert drawn.shape == (96, 192)
    assert sorted(truth[:, 2].tolist()) == [16, 16, 16, 24, 24, 32]
    shared = scene.overlaps(truth, truth)
    assert (shared[~np.eye(6, dtype=bool)] == 0.0).all()
    assert ((truth[:, :2] >= 0) & (truth[:, :2] + truth[:, 2:] <= drawn.shape)).all()


def test_boxes_by_hand():
    boxes = np.array([[0, 0, 2, 2], [0, 1, 2, 2], [5, 5, 2, 2]])
    assert scene.overlaps(boxes, boxes)[0].tolist() == pytest.approx([1.0, 2.0 / 6.0, 0.0])
    assert scene.covered(boxes, (7, 7))[0].tolist() == [1, 2, 1, 0, 0, 0, 0]
    assert scene.covered(boxes, (7, 7)).sum() == 12
    near = np.array([[0, 0, 10, 10], [1, 0, 10, 10], [0, 1, 10, 10], [50, 50, 10, 10]])
    assert scene.merged(near, 1).tolist() == [[0, 0, 10, 10], [50, 50, 10, 10]]
    assert scene.merged(near, 2).tolist() == [[0, 0, 10, 10]]
    assert scene.hits(scene.merged(near, 1), np.array([[0, 0, 10, 10], [80, 80, 10, 10]])) == (1, 1)
    assert len(scene.merged(np.empty((0, 4), dtype=int), 1)) == 0


def test_enlarging_keeps_a_slope():
    slope = np.outer(np.ones(4), np.arange(4.0))
    assert scene.enlarged(slope, 4, 4) == pytest.approx(slope)
    assert scene.enlarged(slope, 8, 8)[0].tolist() == [0.0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.0]


def test_the_integral_image_is_filled_row_by_row():
    images = [frame.views["features"][0] for frame in frames(MASKS, stages=1) if frame.phase == "integral"]
    assert [int((image.shown[1, :, 0] > 0.0).sum()) for image in images] == list(range(1, 17))
    picture, table = images[-1].pixels
    assert table[3, 4] / table[-1, -1] == pytest.approx(picture[:4, :5].sum() / picture.sum())


@pytest.mark.parametrize("shape", [(1, 6), (6, 1), (2, 2), (3, 5), (20, 9)])
def test_pictures_of_any_shape(shape):
    rng = np.random.default_rng(5)
    X = rng.uniform(size=(30, *shape))
    X[::3, : max(shape[0] // 2, 1), : max(shape[1] // 2, 1)] += 0.8
    points = Points(X.reshape(30, -1), (np.arange(30) % 3 == 0).astype(int), image_shape=shape)
    for frame in frames(points, stages=2):
        assert frame.views["scene"][0].pixels.shape == (1, 6 * shape[0], 12 * shape[1])
        assert frame.views["features"]


def test_one_pixel_is_a_plain_number():
    X = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])[:, None]
    last = frames(Points(X, [0, 0, 0, 1, 1, 1], image_shape=(1, 1)), held_out=0.0)[-1]
    assert predict(last.model, X).tolist() == [0, 0, 0, 1, 1, 1]
    assert "scene" not in last.views


def test_features_that_are_not_used_are_not_looked_up():
    """Every window pays for the first stage, and only what passes it for the second."""
    sweep = scene.Sweep.of(np.random.default_rng(0).uniform(size=(40, 40)), LENS)
    asks = haar_features(16, 16)[:2]
    first = Stage(asks, np.zeros(2), np.ones(2), np.ones(2), 2.0)
    after = sweep.after(first)
    assert after.looked_up == 2 * sweep.total
    assert after.after(first).looked_up == 2 * sweep.total + 2 * after.count


def test_the_knobs_are_those_that_were_agreed():
    assert [field.name for field in ALGORITHM.fields][:3] == ["stages", "detection", "false_positives"]
    assert Params() == Params(stages=10, detection=0.99, false_positives=0.3)


def test_captions_count_nothing_as_no_and_name_no_chance():
    played = frames(FEW, stages=10)
    drops = [frame.caption for frame in played if frame.phase == "drop"]
    assert not any(" 0 " in caption for caption in drops)
    assert any("no target" in caption for caption in drops)
    result = played[-1]
    assert result.caption.startswith(f"{len(result.model.stages)} stages pass ")


def test_a_stage_that_has_all_of_its_stumps_says_so():
    warned = [frame for frame in frames(FEW, stages=1, stumps=1, false_positives=0.01) if frame.warning]
    assert [frame.phase for frame in warned] == ["threshold"]
    kept = warned[0].model.rates[-1, 1]
    assert warned[0].warning == f"The stage has all of its 1 stump, and {100 * kept:.3g} % of the others still pass."
