"""Every source of data, of whatever kind: what it declares is what it gives."""

from __future__ import annotations

from itertools import groupby

import pytest

from algorithms.data import KINDS
from algorithms.params import ParamError, bad_values
from mlviz.data.builtin import load_builtin
from mlviz.data.formats import all_formats
from mlviz.data.generators import Generator
from mlviz.data.spec import Source, all_sources, load_data, parse_spec

SOURCES = all_sources()
OTHERS = [source for source in SOURCES if source.kind != "points"]
each = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
each_other = pytest.mark.parametrize("source", OTHERS, ids=lambda source: source.name)


@each
def test_it_gives_the_kind_that_it_declares_under_its_name(source: Source) -> None:
    data = load_data(source.name)
    assert type(data) is KINDS[source.kind]
    assert data.name == source.name
    assert source.title
    assert source.doc.endswith((".", "?"))
    assert all(field.doc.endswith(".") for field in source.fields)
    assert parse_spec(source.name).axes[0] >= 0


def test_a_group_stands_in_one_place_of_the_list() -> None:
    groups = [group for group, _ in groupby(SOURCES, key=lambda source: source.group)]
    assert len(groups) == len(set(groups))


@each_other
def test_same_seed_same_data(source: Source) -> None:
    if isinstance(source, Generator):
        assert source.generate(seed=7).sha256 == source.generate(seed=7).sha256
        assert [field.name for field in source.fields][-1] == "seed"


@each_other
@pytest.mark.parametrize("end", ["low", "high"])
def test_every_extreme_of_every_parameter_gives_data(source: Source, end: str) -> None:
    for field in source.fields:
        if field.kind in ("int", "float"):
            value = field.low if end == "low" else field.high
            assert type(source.generate(**{field.name: value})) is KINDS[source.kind]


@each_other
def test_bad_values_are_refused_by_name(source: Source) -> None:
    for field in source.fields:
        for value in bad_values(field):
            with pytest.raises(ParamError, match=field.name):
                source.generate(**{field.name: value})


def test_formats_name_kinds_that_there_are() -> None:
    assert {form.kind for form in all_formats()} <= set(KINDS) - {"points"}
    assert all(form.read is not None or form.write is not None for form in all_formats())


def test_only_tables_have_target_columns() -> None:
    assert load_builtin("iris", "none").y is None
