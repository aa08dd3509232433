"""Two small algorithms that fill the registry during these tests, so that files and documents depend on no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pytest

from algorithms import registry
from algorithms.contract import Algorithm, Line, Metric, Panel
from algorithms.data import Points
from algorithms.params import Between, Doc, Handles, PointList
from tests.telling import AS_SHOWN


@dataclass(frozen=True, slots=True)
class FirstParams:
    k: Annotated[int, Between(1, 20), Doc("Number of things.")] = 3
    tol: Annotated[float, Between(0.0, 1.0), Doc("Tolerance.")] = 0.5
    init: Annotated[Literal["near", "far"], Doc("Where.")] = "near"
    centres: Annotated[PointList, Handles, Doc("Places.")] = ()


@dataclass(frozen=True, slots=True)
class SecondParams:
    depth: Annotated[int, Between(1, 9), Doc("How deep.")] = 2


def toy(key, params):
    return Algorithm(
        key=key,
        title=key.capitalize(),
        family="test",
        summary="For tests.",
        params=params,
        run=lambda data, params, rng, start=None: iter(()),
        panels=(Panel("plane", "Plane", "data"),),
        metrics=(Metric("J", "J"),),
        pseudocode=(Line("nothing"),),
        reference="none",
        **AS_SHOWN,
    )


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    found = (toy("first", FirstParams), toy("second", SecondParams))
    monkeypatch.setattr(registry, "all_algorithms", lambda: found)


@pytest.fixture
def data():
    return Points(np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 8.0]]), name="three points")
