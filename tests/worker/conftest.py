"""Small algorithms that do one thing each, and a watch for threads that outlive their test."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any

import numpy as np
import pytest

from algorithms.contract import Algorithm, AnySnapshot, Line, Metric, Panel, Stop
from algorithms.data import DataError, Points
from algorithms.params import Between, Doc
from tests.telling import AS_SHOWN, told


@dataclass(frozen=True, slots=True)
class Params:
    steps: Annotated[int, Between(0, 10_000_000), Doc("How many frames after the first.")] = 10
    size: Annotated[int, Between(1, 1_000_000), Doc("How many numbers each frame brings along.")] = 4


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    step: int
    numbers: Any
    data: Any


def snapshot(step: int, numbers: Any, data: Any = None, **changes: Any) -> AnySnapshot:
    phase = ("start", "odd", "even")[0 if step == 0 else 2 - step % 2]
    usual = {"metrics": {"step": float(step)}, "phase": phase, "caption": f"Step {step}."}
    return told(Model(step, numbers, data), **{**usual, **changes})


def walk(data: Any, params: Any, rng: np.random.Generator, start: Any = None) -> Any:
    """A random walk: every frame differs, and only the same seed gives the same frames."""
    numbers = np.zeros(params.size)
    first = 0 if start is None else start.step
    for step in range(first, first + params.steps + 1):
        yield snapshot(step, numbers, data.X)
        numbers = numbers + rng.normal(size=params.size)
    return Stop.COMPLETE


def make(run: Callable[..., Any], **changes: Any) -> Algorithm:
    record: dict[str, Any] = {
        "key": run.__name__,
        "title": run.__name__.capitalize(),
        "family": "test",
        "summary": "For tests.",
        "params": Params,
        "run": run,
        "panels": (Panel("plane", "Plane", "data"),),
        "metrics": (Metric("step", "Step", better="neither"),),
        "pseudocode": (Line("walk", "odd", "even"),),
        "reference": "none",
        **AS_SHOWN,
    }
    return Algorithm(**{**record, **changes})


@pytest.fixture
def toys() -> SimpleNamespace:
    return SimpleNamespace(
        Params=Params, Model=Model, snapshot=snapshot, walk=make(walk), make=make, DataError=DataError
    )


@pytest.fixture
def data() -> Points:
    return Points(np.random.default_rng(0).normal(size=(50, 2)))


@pytest.fixture
def until() -> Callable[..., None]:
    """Wait for something that another thread does; far longer than it can take, so that only a fault fails."""

    def wait(condition: Callable[[], bool], what: str = "") -> None:
        pause = threading.Event()
        for _ in range(60_000):
            if condition():
                return
            pause.wait(0.001)
        raise AssertionError(f"never happened: {what}")

    return wait
