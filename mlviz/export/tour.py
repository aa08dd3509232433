"""A tour without a window: a picture of every panel and one film, for machines that have no display."""

from __future__ import annotations

from pathlib import Path

from algorithms import all_algorithms, find
from mlviz.data.spec import example_of
from mlviz.export.films import Timing
from mlviz.export.render import Style, render_film, render_picture


def render_tour(folder: Path) -> list[Path]:
    """Draw every algorithm on its own example, and k-means as a film; say where each file lies."""
    made = []
    for algorithm in all_algorithms():
        path = folder / f"{algorithm.key}.png"
        render_picture(algorithm, example_of(algorithm), algorithm.make_params({}), 0, path)
        print(path)
        made.append(path)
    film = find("k_means")
    path = folder / "k_means.gif"
    render_film(
        film,
        example_of(film),
        film.make_params({}),
        0,
        path,
        style=Style(size=(800, 600)),
        timing=Timing(fps=3.0),
    )
    print(path)
    return [*made, path]
