"""Parameters: the declaration is read once and everything else follows from it."""

import json
import math
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Annotated, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.params import (
    Advanced,
    Between,
    Doc,
    Group,
    Handles,
    Live,
    Log,
    ParamError,
    PointList,
    Suits,
    Unit,
    When,
    Zero,
    as_dict,
    bad_values,
    following,
    json_schema,
    schema,
    suited,
    validated,
)


@dataclass(frozen=True, slots=True)
class Params:
    k: Annotated[int, Between(1, 20), Doc("Number of clusters.")] = 3
    kernel: Annotated[Literal["linear", "rbf"], Doc("The kernel.")] = "rbf"
    gamma: Annotated[float, Between(1e-3, 1e3), Log, Live, Unit("px"), When("kernel", "rbf"), Doc("The width.")] = 1.0
    shuffle: Annotated[bool, Advanced, Group("order"), Doc("Whether to shuffle.")] = True
    layers: Annotated[tuple[int, ...], Between(1, 64), Doc("Units in each layer.")] = (8, 8)
    centres: Annotated[PointList, Handles, Doc("The first centres.")] = ()


FIELDS = {field.name: field for field in schema(Params)}


def test_the_schema_says_what_was_declared():
    assert [(field.name, field.kind, field.default) for field in schema(Params)] == [
        ("k", "int", 3),
        ("kernel", "choice", "rbf"),
        ("gamma", "float", 1.0),
        ("shuffle", "bool", True),
        ("layers", "ints", (8, 8)),
        ("centres", "points", ()),
    ]
    gamma = FIELDS["gamma"]
    assert (gamma.low, gamma.high, gamma.unit, gamma.log, gamma.live) == (1e-3, 1e3, "px", True, True)
    assert (gamma.handles, gamma.advanced) == (False, False)
    assert FIELDS["centres"].handles
    assert FIELDS["shuffle"].advanced
    assert (FIELDS["shuffle"].group, FIELDS["k"].group) == ("order", "")
    assert FIELDS["kernel"].choices == ("linear", "rbf")
    assert FIELDS["k"].doc == "Number of clusters."


def test_a_parameter_can_depend_on_another():
    assert FIELDS["gamma"].relevant({"kernel": "rbf"})
    assert not FIELDS["gamma"].relevant({"kernel": "linear"})
    assert FIELDS["k"].relevant({})


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("k", 0, "k must be a whole number from 1 to 20; got 0."),
        ("k", 2.5, "k must be a whole number from 1 to 20; got 2.5."),
        ("k", True, "k must be a whole number from 1 to 20; got True."),
        ("gamma", math.nan, "gamma must be a number from 0.001 to 1000; got nan."),
        ("gamma", "wide", "gamma must be a number from 0.001 to 1000; got 'wide'."),
        ("kernel", "cubic", "kernel must be one of linear, rbf; got 'cubic'."),
        ("shuffle", "maybe", "shuffle must be true or false; got 'maybe'."),
        ("layers", (8, 65), "layers must be a list of at most 64 whole numbers from 1 to 64; got (8, 65)."),
        ("centres", [[0, 1], [2]], "centres must be a list of points such as [[0, 1], [2, 3]]; got [[0, 1], [2]]."),
        ("centres", [[]], "centres must be a list of points such as [[0, 1], [2, 3]]; got [[]]."),
    ],
)
def test_messages_are_sentences_with_the_name(name, value, sentence):
    with pytest.raises(ParamError) as caught:
        validated(Params, {name: value})
    assert str(caught.value) == sentence


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(ParamError) as caught:
        validated(Params, {"q": 1}, owner="k_means")
    assert str(caught.value) == "k_means has no parameter 'q'; it has k, kernel, gamma, shuffle, layers, centres."


def test_values_arrive_in_their_proper_type():
    params = validated(
        Params, {"k": np.int64(4), "gamma": 2, "shuffle": 0, "layers": [3.0], "centres": np.array([[1, 2]])}
    )
    assert as_dict(params) == {
        "k": 4,
        "kernel": "rbf",
        "gamma": 2.0,
        "shuffle": False,
        "layers": (3,),
        "centres": ((1.0, 2.0),),
    }
    assert [type(value) for value in as_dict(params).values()] == [int, str, float, bool, tuple, tuple]


def test_an_array_is_not_a_number():
    with pytest.raises(ParamError, match=r"^k must be"):
        validated(Params, {"k": np.array([3])})


@pytest.mark.parametrize("name", FIELDS)
def test_every_generated_bad_value_is_refused(name):
    values = bad_values(FIELDS[name])
    assert len(values) >= 4
    for value in values:
        with pytest.raises(ParamError, match=rf"^{name} must be"):
            FIELDS[name].check(value)


def test_bad_values_lie_outside_even_where_adding_one_changes_nothing():
    @dataclass(frozen=True)
    class Wide:
        width: Annotated[float, Between(-1e300, 1e300), Doc("The width.")] = 1.0

    (field,) = schema(Wide)
    numbers = [value for value in bad_values(field) if isinstance(value, float) and math.isfinite(value)]
    assert min(numbers) < -1e300
    assert max(numbers) > 1e300


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("k", " 4 ", 4),
        ("gamma", "1e-2", 0.01),
        ("kernel", "linear", "linear"),
        ("shuffle", "No", False),
        ("layers", "4,5", (4, 5)),
        ("layers", "4", (4,)),
        ("centres", "[[0,1],[2,3.5]]", ((0.0, 1.0), (2.0, 3.5))),
    ],
)
def test_texts_of_the_command_line(name, text, value):
    assert FIELDS[name].parse(text) == value


@pytest.mark.parametrize(("name", "text"), [("k", "four"), ("shuffle", "2"), ("layers", "4;5"), ("centres", "0,1")])
def test_bad_texts_are_refused_by_name(name, text):
    with pytest.raises(ParamError, match=rf"^{name} must be"):
        FIELDS[name].parse(text)


@given(st.integers(1, 20))
def test_a_shown_number_is_read_back(k):
    assert FIELDS["k"].parse(str(k)) == FIELDS["k"].check(k) == k


@given(st.floats(1e-3, 1e3))
def test_a_float_survives_json_and_text(gamma):
    params = validated(Params, {"gamma": gamma})
    assert validated(Params, json.loads(json.dumps(as_dict(params)))) == params
    assert FIELDS["gamma"].parse(repr(gamma)) == gamma


@given(st.one_of(st.integers(), st.floats(), st.text(), st.none(), st.booleans(), st.lists(st.floats())))
def test_any_value_is_accepted_into_range_or_refused_by_name(value):
    for name, field in FIELDS.items():
        kept, refusal = outcome(field, value)
        if refusal:
            assert refusal.startswith(f"{name} must be ")
        else:
            assert field.check(kept) == kept


def outcome(field, value):
    """The value as it was kept, or the sentence with which it was refused."""
    try:
        return field.check(value), ""
    except ParamError as error:
        return None, str(error)


def test_the_schema_is_plain_json():
    rows = json.loads(json.dumps(json_schema(Params)))
    assert [row["name"] for row in rows] == list(FIELDS)
    assert rows[0] == {
        "name": "k",
        "kind": "int",
        "default": 3,
        "doc": "Number of clusters.",
        "low": 1,
        "high": 20,
    }
    assert rows[2]["when"] == {"kernel": ["rbf"]}
    assert rows[3]["group"] == "order"
    assert rows[5]["default"] == []


def annotated(hint: object, default: object) -> type:
    """A Params class with the one field ``width``."""
    return dataclass(frozen=True)(type("Params", (), {"__annotations__": {"width": hint}, "width": default}))


WIDTH = Doc("The width.")


@pytest.mark.parametrize(
    ("hint", "default", "words"),
    [
        (Annotated[float, Between(0, 1)], 0.5, "has no Doc"),
        (Annotated[float, WIDTH], 0.5, "has no Between"),
        (Annotated[tuple[int, ...], WIDTH], (1,), "has no Between"),
        (Annotated[float, Between(0, 1), WIDTH], 2.0, "default outside its own declaration"),
        (Annotated[int, Between(0, 1), WIDTH], 0.5, "default outside its own declaration"),
        (Annotated[Literal["a", "b"], WIDTH], "c", "default outside its own declaration"),
        (Annotated[int, Between(1, 9), Zero("none"), WIDTH], 3, "does not begin there"),
        (Annotated[bool, WIDTH], 1, None),
        (Annotated[dict, WIDTH], None, "is not a kind of parameter"),
        (Annotated[float, Between(0, 1), WIDTH], dataclass_field(default_factory=float), "has no default"),
    ],
)
def test_unfinished_declarations_are_programming_errors(hint, default, words):
    params = annotated(hint, default)
    if words is None:
        assert schema(params)[0].default == default
        return
    with pytest.raises(TypeError, match=rf"\.width .*{words}"):
        schema(params)


def test_the_label_is_for_people():
    @dataclass(frozen=True)
    class Long:
        max_steps: Annotated[int, Between(1, 9), Doc("The most steps.")] = 5

    assert schema(Long)[0].label == "max steps"


def test_a_list_is_not_longer_than_it_says():
    message = "layers must be a list of at most 64 whole numbers from 1 to 64"
    with pytest.raises(ParamError, match=message):
        FIELDS["layers"].check([8] * 20_000)
    with pytest.raises(ParamError, match="centres must be a list of points"):
        FIELDS["centres"].check([[0, 1]] * 10_001)


@pytest.mark.parametrize("depth", [900, 100_000])
def test_lists_in_lists_in_lists_are_refused_with_a_sentence(depth):
    with pytest.raises(ParamError, match="centres must be a list of points"):
        FIELDS["centres"].parse("[" * depth + "]" * depth)
    nested = []
    for _ in range(depth):
        nested = [nested]
    with pytest.raises(ParamError, match="centres must be a list of points"):
        FIELDS["centres"].check(nested)


@dataclass(frozen=True, slots=True)
class Walk:
    surface: Annotated[Literal["bowl", "valley", "cliff"], Doc("The landscape.")] = "bowl"
    rate: Annotated[
        float, Between(0, 1), Suits("surface", ("valley", 0.01), ("cliff", 0.001)), Doc("The length of a step.")
    ] = 0.1


def test_what_suits_another_parameter_follows_it_until_it_is_set_by_hand():
    assert suited(Walk, {}) == {"rate": 0.1}
    assert suited(Walk, {"surface": "valley"}) == {"surface": "valley", "rate": 0.01}
    assert suited(Walk, {"surface": "valley", "rate": 0.5}) == {"surface": "valley", "rate": 0.5}
    assert following(Walk, {"surface": "bowl", "rate": 0.1}, "surface", "cliff") == {"surface": "cliff", "rate": 0.001}
    assert following(Walk, {"surface": "cliff", "rate": 0.001}, "surface", "bowl") == {"surface": "bowl", "rate": 0.1}
    assert following(Walk, {"surface": "bowl", "rate": 0.3}, "surface", "cliff") == {"surface": "cliff"}
    assert following(Walk, {"surface": "bowl", "rate": 0.1}, "rate", 0.2) == {"rate": 0.2}
    assert json.loads(json.dumps(json_schema(Walk)))[1]["default"] == 0.1
