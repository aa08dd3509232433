"""Methods on graphs as whole figures, in the middle of a run and in the dark."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage

from algorithms import find
from mlviz.data.spec import load_data
from mlviz.export.render import Style, render_picture

CASES = {
    "search": ("shortest_paths", "florentine", {"from": 15}, 14, "dark"),
    "streets": ("shortest_paths", "grid(weights=random,seed=3)", {}, 62, "light"),
    "pairs": ("shortest_paths", "florentine", {"method": "Floyd-Warshall"}, 9, "light"),
    "one-way": ("shortest_paths", "small_web", {"method": "breadth first"}, None, "dark"),
    "betweenness": ("centralities", "les_miserables", {}, 40, "light"),
    "eigenvector": ("centralities", "karate", {"kind": "eigenvector"}, None, "dark"),
    "authorities": ("centralities", "small_web", {"kind": "HITS"}, None, "light"),
}


@pytest.mark.parametrize("name", CASES)
def test_figures(qapp, approved, tmp_path, name):
    key, spec, params, step, theme = CASES[name]
    algorithm, path = find(key), tmp_path / "a.png"
    style = Style(size=(900, 640), theme=theme)
    render_picture(algorithm, load_data(spec), algorithm.make_params(params), 0, path, step=step, style=style)
    approved(QImage(str(path)), f"graphs-{name}")


@pytest.mark.parametrize("ending", ["svg", "pdf"])
def test_vector_pictures_hold_the_names_as_text(qapp, tmp_path, ending):
    algorithm, path = find("shortest_paths"), tmp_path / f"a.{ending}"
    render_picture(algorithm, load_data("florentine"), algorithm.make_params({}), 0, path)
    content = path.read_bytes()
    assert len(content) > 10_000
    if ending == "svg":
        assert b"Lamberteschi" in content
