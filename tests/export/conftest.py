"""A small recorded run and a figure of it that is disposed of whatever happens."""

import functools

import pytest

from algorithms import find
from mlviz.data.spec import example_of, load_data
from mlviz.export.frames import recorded
from mlviz.export.render import Style, document_of


@functools.lru_cache(maxsize=1)
def run_of_example(algorithm):
    """The finished run of a method on its example, with seed 3, for all files whose tests go method by method."""
    return recorded(algorithm, example_of(algorithm), algorithm.make_params({}), 3)


@pytest.fixture
def engine():
    algorithm = find("kernel_svm")
    return recorded(algorithm, load_data("moons(n=40,noise=0.2,seed=1)"), algorithm.make_params({}), 0)


@pytest.fixture
def make_figure(qtbot, engine):
    made = []

    def make(**style):
        figure = Style(**style).figure(document_of(engine), engine)
        made.append(figure)
        return figure

    yield make
    for figure in made:
        figure.dispose()
