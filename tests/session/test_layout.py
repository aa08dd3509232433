"""The layout in a session file: it comes back as it was, and nothing in it is believed."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlviz.session.document import Document
from mlviz.session.files import load, save
from mlviz.session.layout import MAX_PINNED, BoardLook, Dock, EvaluationSettings, Layout, Viewport, as_plain, checked

FULL = Layout(
    viewports={"plane": Viewport((-1.0, 2.5, 0.0, 1e-3)), "cloud": Viewport(None, (0.5, -1.25))},
    large={"mlp": "plane", "decision_tree": "tree"},
    second="evaluation",
    controls="Data",
    curve="loss",
    logarithmic={"loss": True, "step": False},
    evaluation=EvaluationSettings("validation", 1, 0.25, True, 1, (0, 1), 0.4),
    pinned=(2, 0),
    large_height=0.75,
    beside=0.5,
    docks=(Dock("dock_methods", "left", 0, True, 236, 500), Dock("dock_points", "bottom", 1, False)),
    boards=(BoardLook({"mlp": "curves"}, "evaluation", "loss", EvaluationSettings(threshold=0.3)), BoardLook()),
    speed=math.inf,
    by_phase=True,
    recipe="moons(n=300,noise=0.1)",
)


@pytest.mark.parametrize("layout", [FULL, Layout(), Layout(speed=4.0, evaluation=EvaluationSettings())])
def test_a_layout_comes_back_as_it_was(tmp_path, data, layout):
    save(tmp_path / "a", Document(data, "first"), layout=layout)
    loaded = load(tmp_path / "a")
    assert loaded.layout == layout
    assert loaded.notices == []


def test_the_names_of_older_files_are_read():
    text = json.dumps(as_plain(FULL))
    for new, old in {"viewports": "eyes", "evaluation": "judging", "large_height": "share"}.items():
        assert f'"{new}":' in text
        text = text.replace(f'"{new}":', f'"{old}":')
    assert checked(json.loads(text), 10, []) == FULL


def changed(**parts):
    return json.loads(json.dumps(as_plain(FULL))) | parts


WRONG = {
    "boards": [
        {},
        [3],
        [{}],
        [{"large": {"mlp": 3}, "second": "", "curve": "", "evaluation": None}],
        [{"large": {}, "second": 1, "curve": "", "evaluation": None}],
        [{"large": {}, "second": "", "curve": "", "evaluation": {"source": "x"}}],
        [as_plain(FULL)["boards"][1]] * 5,
    ],
    "viewports": [
        [],
        {"plane": 3},
        {"plane": {"rect": [0, 1, 2]}},
        {"plane": {"rect": [1, 0, 0, 1]}},
        {"plane": {"rect": [0, 1, 0, 1e999]}},
        {"plane": {"rect": [0, True, 0, 1]}},
        {"plane": {"angles": ["x", 0]}},
        {"x" * 65: {}},
        {str(number): {} for number in range(65)},
    ],
    "large": [[], "plane", {"mlp": 3}, {"mlp": "x" * 65}, {"x" * 65: "plane"}, {str(n): "a" for n in range(65)}],
    "second": [3, None, "x" * 65],
    "logarithmic": [{"loss": 1}, "loss"],
    "evaluation": [
        "training",
        {},
        {"source": "testing"},
        {"source": "training", "cell": [0]},
        {"source": "training", "cell": [0, -1]},
        {"source": "training", "positive": 1.5},
        {"source": "training", "threshold": "0.5"},
        {"source": "training", "curve": 4},
    ],
    "pinned": [[3], [-1], [0.0], [True], [0] * (MAX_PINNED + 1), "0"],
    "large_height": [1.5, -0.1, "0.5", True],
    "docks": [
        [{"name": "a", "area": "middle"}],
        [{"name": "a", "area": "left", "width": 10**9}],
        [{"name": "a", "area": "left"}] * 2,
        [{"area": "left"}],
        [3],
        {"a": 1},
    ],
    "speed": [0, -1, "fast", [], True],
    "by_phase": [1, None],
    "recipe": [1, None, "x" * 1001],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_a_part_that_makes_no_sense_is_left_as_it_is(name, value):
    notices: list[str] = []
    layout = checked(changed(**{name: value}), 3, notices)
    assert getattr(layout, name) == getattr(Layout(), name)
    assert len(notices) == 1
    others = [other for other in WRONG if other != name]
    assert [getattr(layout, other) for other in others] == [getattr(FULL, other) for other in others]


def test_what_a_newer_program_has_added_is_passed_over():
    notices: list[str] = []
    raw = changed(ribbon={"size": 3})
    raw["viewports"]["plane"]["tilt"] = 4
    assert checked(raw, 3, notices) == FULL
    assert notices == []


@pytest.mark.parametrize("raw", [None, [], 3, "layout"])
def test_a_layout_of_the_wrong_type_is_one_notice(raw):
    notices: list[str] = []
    assert checked(raw, 3, notices) == Layout()
    assert len(notices) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(as_plain(FULL))), JSON))
def test_anything_at_all_gives_a_layout(raw):
    assert isinstance(checked(raw, 3, []), Layout)
