"""Generators of points with classes: clusters to find and borders to learn."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np

from algorithms.data import Array, Points
from algorithms.params import Between, Doc
from mlviz.data.generators.declare import (
    Count,
    Noise,
    even_labels,
    generator,
    labelled,
    labels_by_weight,
    spread_centres,
)

Centres = Annotated[int, Between(1, 20), Doc("How many clusters.")]
Spread = Annotated[float, Between(0, 50), Doc("Half the width of the square in which the centres lie.")]
Angle = Annotated[float, Between(-180, 180), Doc("Turns the picture, in degrees.")]


@generator("Blobs")
def blobs(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 1.0,
    centres: Centres = 3,
    spread: Spread = 6.0,
    features: Annotated[int, Between(1, 50), Doc("How many features a point has.")] = 2,
) -> Points:
    """Round Gaussian clusters of equal size and width."""
    labels = even_labels(n, centres)
    middle = spread_centres(rng, centres, spread, features)
    return labelled(rng, middle[labels] + noise * rng.standard_normal((n, features)), labels)


@generator("Blobs of varied width")
def blobs_varied(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 1.0,
    centres: Centres = 3,
    ratio: Annotated[float, Between(1, 100), Doc("How much wider the widest cluster is than the narrowest.")] = 5.0,
    spread: Spread = 8.0,
) -> Points:
    """Round Gaussian clusters, some narrow and some wide."""
    labels = even_labels(n, centres)
    widths = noise * np.geomspace(ratio**-0.5, ratio**0.5, centres)
    middle = spread_centres(rng, centres, spread)
    return labelled(rng, middle[labels] + widths[labels, None] * rng.standard_normal((n, 2)), labels)


@generator("Stretched blobs")
def blobs_anisotropic(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 1.0,
    centres: Centres = 3,
    stretch: Annotated[float, Between(1, 100), Doc("How much longer than wide a cluster is.")] = 5.0,
    parallel: Annotated[bool, Doc("All clusters lean the same way.")] = True,
    spread: Spread = 6.0,
) -> Points:
    """Gaussian clusters that are long and thin, which misleads methods that expect round ones."""
    labels = even_labels(n, centres)
    middle = spread_centres(rng, centres, spread)
    angles = rng.uniform(0, np.pi, centres)
    if parallel:
        angles[:] = angles[0]
    round_points = rng.standard_normal((n, 2)) * noise * np.array([stretch**0.5, stretch**-0.5])
    return labelled(rng, middle[labels] + _turned(round_points, angles[labels]), labels)


@generator("Imbalanced blobs")
def blobs_imbalanced(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 1.0,
    centres: Centres = 3,
    imbalance: Annotated[float, Between(1, 1000), Doc("How many times larger the largest cluster is.")] = 10.0,
    spread: Spread = 6.0,
) -> Points:
    """Round Gaussian clusters with very different numbers of points."""
    labels = labels_by_weight(n, np.geomspace(imbalance, 1, centres))
    middle = spread_centres(rng, centres, spread)
    return labelled(rng, middle[labels] + noise * rng.standard_normal((n, 2)), labels)


@generator("Two moons")
def moons(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 0.1,
    gap: Annotated[float, Between(-0.5, 2), Doc("Moves the moons apart; 0 lets them interlock.")] = 0.0,
) -> Points:
    """Two interlocking half circles that no straight line separates."""
    labels = even_labels(n, 2)
    angle = np.pi * rng.random(n)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([1 - np.cos(angle), 0.5 - np.sin(angle) - gap])
    return labelled(rng, np.where(labels[:, None] == 0, upper, lower) + noise * rng.standard_normal((n, 2)), labels)


@generator("Two circles")
def circles(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 0.05,
    factor: Annotated[float, Between(0, 1), Doc("Radius of the inner circle; the outer one has radius 1.")] = 0.5,
) -> Points:
    """A small circle inside a large one."""
    labels = even_labels(n, 2)
    radius = np.where(labels == 0, 1.0, factor)
    return labelled(rng, _on_circle(rng, radius) + noise * rng.standard_normal((n, 2)), labels)


@generator("Spirals")
def spirals(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 0.05,
    arms: Annotated[int, Between(1, 10), Doc("How many arms, each its own class.")] = 2,
    turns: Annotated[float, Between(0.1, 6), Doc("How often an arm winds around the middle.")] = 1.5,
) -> Points:
    """Arms that wind around one another: hard for everything that draws simple borders."""
    labels = even_labels(n, arms)
    radius = np.sqrt(rng.uniform(0.01, 1, n))  # the square root makes the points equally dense along an arm
    angle = 2 * np.pi * (turns * radius + labels / arms)
    X = 2 * radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return labelled(rng, X + noise * rng.standard_normal((n, 2)), labels)


@generator("XOR")
def xor(rng: np.random.Generator, n: Count = 300, noise: Noise = 0.3, angle: Angle = 0.0) -> Points:
    """Four clusters at the corners of a square, opposite corners being one class."""
    corner = even_labels(n, 4)
    places = np.array([[1.0, 1.0], [-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]])
    X = places[corner] + noise * rng.standard_normal((n, 2))
    return labelled(rng, _turned(X, np.full(n, np.deg2rad(angle))), corner // 2)


GATES = {"AND": (0, 0, 0, 1), "OR": (0, 1, 1, 1), "NAND": (1, 1, 1, 0), "NOR": (1, 0, 0, 0), "XOR": (0, 1, 1, 0)}
"""What each gate answers to (0, 0), (0, 1), (1, 0) and (1, 1)."""


@generator("Logic gate")
def gate(
    rng: np.random.Generator,
    n: Count = 4,
    noise: Noise = 0.0,
    kind: Annotated[
        Literal["AND", "OR", "NAND", "NOR", "XOR", "NOT"], Doc("What is computed from the inputs; NOT has only one.")
    ] = "AND",
) -> Points:
    """The truth table of a logic gate, inputs and answers 0 or 1; more points repeat it."""
    if kind == "NOT":
        corners, answers = np.array([[0.0], [1.0]]), np.array([1, 0])
    else:
        corners, answers = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(GATES[kind])
    row = np.arange(n) % len(corners)
    X = corners[row] + noise * rng.standard_normal((n, corners.shape[1]))
    return labelled(rng, X, answers[row], ("0", "1"))


@generator("Checkerboard")
def checkerboard(
    rng: np.random.Generator,
    n: Count = 500,
    noise: Noise = 0.0,
    cells: Annotated[int, Between(1, 12), Doc("How many cells along each side.")] = 4,
) -> Points:
    """Two classes on the black and white cells of a board."""
    X = rng.uniform(0, cells, (n, 2))
    labels = np.floor(X).astype(np.int64).sum(axis=1) % 2
    return labelled(rng, X + noise * rng.standard_normal((n, 2)), labels)


@generator("Classes in turn")
def alternating(rng: np.random.Generator, n: Count = 3, noise: Noise = 0.0) -> Points:
    """Points in a row, at (1, 1), (2, 2), (3, 3) ..., whose classes take turns: no single cut parts them."""
    place = np.arange(n)
    return labelled(rng, 1.0 + place[:, None] + noise * rng.standard_normal((n, 2)), place % 2)


@generator("Rings with a core")
def rings(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 0.1,
    rings: Annotated[int, Between(1, 8), Doc("How many rings lie around the core.")] = 2,
    core: Annotated[float, Between(0, 1), Doc("Width of the core in the middle; the first ring has radius 1.")] = 0.2,
) -> Points:
    """A round core with rings around it, each its own class."""
    labels = labels_by_weight(n, np.arange(rings + 1) + 0.5)  # the larger the ring, the more points it needs
    X = _on_circle(rng, labels.astype(np.float64))
    X[labels == 0] = core * rng.standard_normal((int(np.sum(labels == 0)), 2))
    return labelled(rng, X + noise * rng.standard_normal((n, 2)), labels)


@generator("Two Gaussians in five dimensions")
def gaussians_5d(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 1.0,
    distance: Annotated[float, Between(0, 10), Doc("Distance between the two means.")] = 2.0,
    correlation: Annotated[float, Between(0, 1), Doc("Correlation between any two features.")] = 0.5,
) -> Points:
    """Two overlapping Gaussian classes with five correlated features."""
    labels = even_labels(n, 2)
    shared = np.sqrt(correlation) * rng.standard_normal((n, 1))
    own = np.sqrt(1 - correlation) * rng.standard_normal((n, 5))
    side = np.where(labels == 0, -0.5, 0.5)[:, None] * distance / np.sqrt(5)
    return labelled(rng, side + noise * (shared + own), labels)


@generator("Separable with a margin")
def separable(
    rng: np.random.Generator,
    n: Count = 200,
    noise: Noise = 0.0,
    margin: Annotated[float, Between(0, 5), Doc("Width of the empty strip between the classes.")] = 1.0,
    angle: Angle = 30.0,
) -> Points:
    """Two classes with an empty strip between them; noise may carry points across it."""
    labels = even_labels(n, 2)
    side = np.where(labels == 0, -1.0, 1.0)
    X = np.column_stack([side * (margin / 2 + 3 * rng.random(n)), rng.uniform(-4, 4, n)])
    return labelled(rng, _turned(X, np.full(n, np.deg2rad(angle))) + noise * rng.standard_normal((n, 2)), labels)


@generator("Nested blobs")
def nested_blobs(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 0.3,
    groups: Annotated[int, Between(1, 10), Doc("How many groups; the group is the class.")] = 3,
    parts: Annotated[int, Between(1, 10), Doc("How many small clusters a group is made of.")] = 3,
    ratio: Annotated[float, Between(1, 50), Doc("How much farther apart the groups are than their parts.")] = 5.0,
) -> Points:
    """Clusters of clusters, as a dendrogram shows them."""
    part = even_labels(n, groups * parts)
    group = part // parts
    middle = spread_centres(rng, groups, 2 * ratio)
    within = np.vstack([spread_centres(rng, parts, 2.0) for _ in range(groups)])
    return labelled(rng, middle[group] + within[part] + noise * rng.standard_normal((n, 2)), group)


@generator("Mixtures of parts")
def mixtures(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 0.05,
    parts: Annotated[int, Between(1, 10), Doc("Of how many parts; the one of which there is most is the class.")] = 2,
    features: Annotated[int, Between(2, 50), Doc("How many features a point has.")] = 2,
    counts: Annotated[bool, Doc("Whether the numbers are counts, ten on average, as of words in texts.")] = False,
) -> Points:
    """Sums of parts without a negative number: in the plane a cone, as counts texts about a few topics."""
    turns = np.deg2rad(np.linspace(15.0, 70.0, parts))
    fan = np.column_stack([np.cos(turns), np.sin(turns)])
    directions = fan if features == 2 else rng.gamma(0.4, size=(parts, features)) + 1e-3
    amounts = rng.exponential(size=(n, parts))
    X = np.abs(amounts @ directions + noise * rng.standard_normal((n, features)))
    X = rng.poisson(10.0 / X.mean() * X).astype(np.float64) if counts else X
    return labelled(rng, X, amounts.argmax(axis=1), tuple(f"part {k + 1}" for k in range(parts)))


@generator("Uniform noise", target="none")
def uniform(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 0.0,
    classes: Annotated[int, Between(0, 10), Doc("How many classes to deal out at random; 0 gives none.")] = 0,
    features: Annotated[int, Between(1, 50), Doc("How many features a point has.")] = 2,
) -> Points:
    """No structure at all: what does a method find where there is nothing to find?"""
    X = rng.uniform(-1, 1, (n, features)) + noise * rng.standard_normal((n, features))
    if classes == 0:
        return Points(X)
    return labelled(rng, X, even_labels(n, classes))


@generator("Blobs with outliers")
def blobs_outliers(
    rng: np.random.Generator,
    n: Count = 300,
    noise: Noise = 1.0,
    centres: Centres = 3,
    outliers: Annotated[float, Between(0, 1), Doc("Which fraction of the points lies anywhere at all.")] = 0.05,
    spread: Spread = 6.0,
) -> Points:
    """Round Gaussian clusters and a few points that belong to none."""
    strays = round(outliers * n)
    labels = np.concatenate([even_labels(n - strays, centres), np.full(strays, centres)])
    middle = np.vstack([spread_centres(rng, centres, spread), np.zeros((1, 2))])
    X = middle[labels] + noise * rng.standard_normal((n, 2))
    reach = 2 * spread + 3 * noise
    X[labels == centres] = rng.uniform(-reach, reach, (strays, 2))
    return labelled(rng, X, labels, [*(f"class {j + 1}" for j in range(centres)), "outlier"])


def _on_circle(rng: np.random.Generator, radius: Array) -> Array:
    angle = 2 * np.pi * rng.random(len(radius))
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def _turned(X: Array, angle: Array) -> Array:
    """Each point turned about the origin by its own angle."""
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack([cos * X[:, 0] - sin * X[:, 1], sin * X[:, 0] + cos * X[:, 1]])
