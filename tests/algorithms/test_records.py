"""A dataclass that is made when it is first used is the one that the standard library makes at once."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
import typing
from typing import Any, ClassVar

import pytest

from algorithms import records


def is_made(cls: type) -> bool:
    """Whether nothing of the class waits any more."""
    return not any(isinstance(value, records._Later) for value in vars(cls).values())


def declare(decorate: Any, **options: Any) -> tuple[type, type]:
    """A class with everything that ours have, and one that extends it."""

    @decorate(frozen=True, slots=True, **options)
    class Base:
        """A base."""

        kind: ClassVar[str] = "base"
        other: typing.ClassVar[int] = 3
        a: int
        b: list[int] = dataclasses.field(default_factory=list)
        c: float = 2.0

        def twice(self) -> int:
            return 2 * self.a

    @decorate(frozen=True, slots=True, **options)
    class Extended(Base):
        """An extension."""

        c: float = 5.0
        d: str = dataclasses.field(default="d", repr=False, compare=False)
        e: int = dataclasses.field(default=7, init=False)

        def __post_init__(self) -> None:
            if self.a < 0:
                raise ValueError("negative")

        @property
        def size(self) -> float:
            return self.a + self.c

    return Base, Extended


@dataclasses.dataclass(frozen=True, slots=True)
class AtOnce:
    """Made by the standard library."""

    a: int
    b: tuple[int, ...] = ()


@records.dataclass(frozen=True, slots=True)
class AtFirstUse:
    """The same, later."""

    a: int
    b: tuple[int, ...] = ()


@records.dataclass(frozen=True, slots=True)
class NeverMade:
    """For the test that has one made by pickle."""

    a: int


@pytest.mark.parametrize("options", [{}, {"eq": False}, {"kw_only": True}, {"order": True}])
def test_it_is_like_the_one_of_the_standard_library(options):
    for ours, theirs in zip(declare(records.dataclass, **options), declare(dataclasses.dataclass, **options)):
        assert not is_made(ours)
        one, two = ours(a=3, c=1.5), theirs(a=3, c=1.5)
        assert is_made(ours)
        assert repr(one) == repr(two)
        assert dataclasses.asdict(one) == dataclasses.asdict(two)
        assert [(f.name, f.default, f.init) for f in dataclasses.fields(ours)] == [
            (f.name, f.default, f.init) for f in dataclasses.fields(theirs)
        ]
        assert ours.__match_args__ == theirs.__match_args__
        assert ours.__slots__ == theirs.__slots__
        assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
        assert (ours.__name__, ours.__qualname__, ours.__module__, ours.__doc__) == (
            theirs.__name__,
            theirs.__qualname__,
            theirs.__module__,
            theirs.__doc__,
        )
        assert vars(ours).keys() == vars(theirs).keys()
        assert (one == copy.copy(one)) == (two == copy.copy(two))
        assert (ours.__hash__ is object.__hash__) == (theirs.__hash__ is object.__hash__)
        assert dataclasses.replace(one, a=4).twice() == 8
        assert not hasattr(one, "__dict__")
        for change in (lambda it: setattr(it, "a", 1), lambda it: delattr(it, "a")):
            with pytest.raises(dataclasses.FrozenInstanceError):
                change(one)
        with pytest.raises(TypeError):
            ours()


@pytest.mark.parametrize(
    "ask",
    [
        lambda cls: cls(1),
        dataclasses.fields,
        dataclasses.is_dataclass,
        inspect.signature,
        lambda cls: cls.__match_args__,
        lambda cls: cls.__dataclass_params__.frozen,
        lambda cls: dataclasses.make_dataclass("More", [("z", int, 0)], bases=(cls,), frozen=True),
    ],
)
def test_whoever_asks_has_it_made(ask):
    base, extended = declare(records.dataclass, kw_only=False)
    assert not is_made(base)
    assert ask(base)
    assert is_made(base)
    assert not is_made(extended)


def test_equal_ones_are_equal_and_have_one_place_in_a_set():
    assert AtFirstUse(1, (2,)) == AtFirstUse(1, (2,)) != AtFirstUse(1)
    assert len({AtFirstUse(1), AtFirstUse(1)}) == 1
    assert hash(AtFirstUse(1, (2,))) == hash(AtOnce(1, (2,)))
    match AtFirstUse(5):
        case AtFirstUse(number):
            assert number == 5


def test_a_post_init_is_called():
    extended = declare(records.dataclass)[1]
    assert extended(1).size == 6.0
    with pytest.raises(ValueError, match="negative"):
        extended(-1)


def test_pickle_has_the_class_made_where_it_arrives():
    assert pickle.loads(pickle.dumps(AtFirstUse(7, (1,)))) == AtFirstUse(7, (1,))
    assert not is_made(NeverMade)
    arrived = pickle.loads(b"c%b\nNeverMade\n)\x81(K\x04lb." % __name__.encode())  # as another process sends it
    assert is_made(NeverMade)
    assert arrived == NeverMade(4)


def test_many_threads_may_be_the_first():
    for _ in range(20):
        base, gate, made = declare(records.dataclass)[0], threading.Barrier(6), []

        def use(base=base, gate=gate, made=made):
            gate.wait()
            made.append(base(1, [2]))

        threads = [threading.Thread(target=use) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [repr(each) for each in made] == [repr(base(1, [2]))] * 6


def test_what_is_no_field_and_looks_like_one_is_refused():
    @records.dataclass(frozen=True, slots=True)
    class Odd:
        a: int
        _: dataclasses.KW_ONLY
        b: int = 1

    with pytest.raises(TypeError, match="Odd cannot be told"):
        Odd(1)


def test_others_are_made_at_once():
    @records.dataclass(slots=True)
    class Changing:
        a: int = 1

    assert is_made(Changing)
    changing = Changing()
    changing.a = 2
    assert changing == Changing(2)
