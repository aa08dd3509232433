"""Every panel as a whole picture: each algorithm on its own example, drawn as ``mlviz render`` draws it."""

import itertools

import pytest
from PySide6.QtGui import QImage

from algorithms import all_algorithms, find
from mlviz.data.spec import example_of
from mlviz.export.films import Timing
from mlviz.export.frames import film_steps
from mlviz.export.render import Style, render_film, render_picture

SIZE = (800, 600)


def picture(key, path, step=None, theme="light", **params):
    algorithm = find(key)
    data = example_of(algorithm)
    render_picture(
        algorithm, data, algorithm.make_params(params), 0, path, step=step, style=Style(size=SIZE, theme=theme)
    )
    return QImage(str(path))


@pytest.mark.parametrize("key", [algorithm.key for algorithm in all_algorithms()])
def test_last_step(qapp, approved, tmp_path, key):
    approved(picture(key, tmp_path / "a.png"), f"panel-{key}")


@pytest.mark.parametrize("key", ["k_means", "gaussian_mixture", "kernel_svm"])
def test_first_step_in_the_dark(qapp, approved, tmp_path, key):
    approved(picture(key, tmp_path / "a.png", step=0, theme="dark"), f"panel-{key}-first-dark")


def test_restarts_and_elbow_have_pictures_of_their_own(qapp, approved, tmp_path):
    approved(picture("k_means", tmp_path / "a.png", restarts=5, elbow=6), "panel-k_means-elbow")


def test_bent_by_a_kernel(qapp, approved, tmp_path):
    kernel = {"kernel": "Laplacian", "width": 3.0, "lam": 0.3}
    approved(picture("logistic_regression", tmp_path / "a.png", **kernel), "panel-logistic_regression-kernel")


def test_a_film_has_every_step_and_rests_at_the_end(qapp, tmp_path):
    from PIL import Image

    from algorithms import fit

    algorithm = find("k_means")
    data = example_of(algorithm)
    path = tmp_path / "film.gif"
    render_film(
        algorithm, data, algorithm.make_params({}), 0, path, style=Style(size=(320, 240)), timing=Timing(fps=5.0)
    )
    with Image.open(path) as film:
        assert film.n_frames == fit("k_means", data).steps + 1
        durations = []
        for frame in range(film.n_frames):
            film.seek(frame)
            durations.append(film.info["duration"])
    assert durations[:-1] == [200] * (len(durations) - 1)
    assert durations[-1] == 2200


def test_long_films_are_thinned_evenly():
    assert film_steps(5) == [0, 1, 2, 3, 4]
    steps = film_steps(10_000)
    assert (steps[0], steps[-1]) == (0, 9_999)
    assert len(steps) == 240
    gaps = {b - a for a, b in itertools.pairwise(steps)}
    assert gaps <= {41, 42}
