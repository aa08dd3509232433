"""A larger picture in which targets are hidden, and the windows of it that a cascade looks into.

The background is a quilt of the backgrounds of the data: tiles that overlap by half and fade into each other. Targets
are laid over it at several sizes, with soft edges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.data import Array
from algorithms.ensembles.cascade.solver import Lens, Stage
from algorithms.ensembles.cascade.solver.integral_images import FINEST, Windows
from algorithms.interrupt import checkpoint

SIZE = (6, 12)
"""Height and width of a scene, in those of a picture,"""
HIDDEN = (1.0, 1.5, 1.0, 2.0, 1.0, 1.5)
"""and the sizes of the targets in it: each has a sixth of the scene for itself."""
LAYERS = ((1, 0.45), (3, 0.75))
"""The layers of a background: how many times larger its tiles are than a picture, and how strong it is."""
SCALES = (1.0, 1.5, 2.0)
"""How many times larger than a picture the windows are."""
SAME = 0.4
"""Two windows are the same find when they share more than this fraction of what they cover together."""
MOST_MERGED = 600
"""Windows that are compared with each other."""


def quilt(pictures: Array, rng: np.random.Generator, size: tuple[int, int] = SIZE) -> Array:
    """A picture of ``size`` times the height and width of the given ones (m, h, w), made of them.

    Two layers, one of them of enlarged pictures: what is large in a scene is as smooth as what is large in the world.
    """
    shape = (size[0] * pictures.shape[1], size[1] * pictures.shape[2])
    middle = float(pictures.mean())
    layers = [weight * _layer(pictures - middle, shape, scale, rng) for scale, weight in LAYERS]
    return np.asarray(np.clip(middle + sum(layers), 0.0, 1.0))


def _layer(pictures: Array, shape: tuple[int, int], scale: int, rng: np.random.Generator) -> Array:
    """Tiles drawn from pictures around 0, so many times as large, that overlap by half."""
    height, width = scale * pictures.shape[1], scale * pictures.shape[2]
    fade = np.outer(_fade(height), _fade(width))
    total, weight = np.zeros((2, shape[0] + 2 * height, shape[1] + 2 * width))
    for top in range(0, shape[0] + height + 1, max(height // 2, 1)):
        checkpoint()
        for left in range(0, shape[1] + width + 1, max(width // 2, 1)):
            here = np.s_[top : top + height, left : left + width]
            total[here] += fade * enlarged(pictures[rng.integers(len(pictures))], height, width)
            weight[here] += np.square(fade)
    inner = np.s_[height : height + shape[0], width : width + shape[1]]
    return np.asarray(total[inner] / np.sqrt(weight[inner]))


def _fade(side: int) -> Array:
    """A window that is 1 in the middle of a side and small, never 0, at its ends."""
    return np.asarray(np.sin(np.pi * (np.arange(side) + 0.5) / side))


def with_targets(background: Array, targets: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """The scene with targets (t, h, w) hidden in it, and where they are: (t, 4) top, left, height, width."""
    height, width = targets.shape[1:]
    room = (SIZE[0] * height // 2, SIZE[1] * width // 3)
    scene, places = background.copy(), []
    sizes = rng.permutation(HIDDEN)
    for number, cell in enumerate(rng.permutation(len(HIDDEN))[: len(targets)]):
        high, wide = round(sizes[number] * height), round(sizes[number] * width)
        top = int(cell) // 3 * room[0] + int(rng.integers(room[0] - high + 1))
        left = int(cell) % 3 * room[1] + int(rng.integers(room[1] - wide + 1))
        edge = np.minimum(np.outer(_ramp(high), np.ones(wide)), _ramp(wide)[None])
        here = np.s_[top : top + high, left : left + wide]
        scene[here] += edge * (enlarged(targets[number], high, wide) - scene[here])
        places.append((top, left, high, wide))
    return scene, np.array(places, dtype=np.int64).reshape(-1, 4)


def _ramp(side: int) -> Array:
    """1 inside, falling off in the outermost pixels."""
    away = np.minimum(np.arange(side) + 1.0, side - np.arange(side))
    return np.asarray(np.minimum(away / max(side / FINEST, 1.0), 1.0))


def enlarged(picture: Array, high: int, wide: int) -> Array:
    """A picture in another size, its pixels blended."""
    for axis, side in enumerate((high, wide)):
        old = picture.shape[axis]
        at = np.clip((np.arange(side) + 0.5) * old / side - 0.5, 0.0, old - 1.0)
        low = np.minimum(at.astype(int), max(old - 2, 0))
        fraction = np.expand_dims(at - low, 1 - axis)
        upper = np.minimum(low + 1, old - 1)
        picture = picture.take(low, axis=axis) * (1.0 - fraction) + picture.take(upper, axis=axis) * fraction
    return picture


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """The windows of a scene that have passed so far, for each size."""

    scene: Array  # (H, W)
    lens: Lens
    parts: tuple[tuple[Windows, Array], ...]  # of each size: the windows, and their corners (m, 2)
    total: int  # windows there were
    looked_up: int = 0  # features that were worked out so far

    @classmethod
    def of(cls, scene: Array, lens: Lens) -> Sweep:
        """All windows of a scene."""
        parts = []
        for scale in SCALES:
            checkpoint()
            high, wide = (round(scale * side) for side in lens.shape)
            down, across = (max(1, round(scale * side / (2 * FINEST))) for side in lens.shape)
            tops, lefts = np.arange(0, scene.shape[0] - high + 1, down), np.arange(0, scene.shape[1] - wide + 1, across)
            at = np.stack(np.meshgrid(tops, lefts, indexing="ij"), axis=-1).reshape(-1, 2)
            parts.append((Windows.on_scene(scene, lens.shape, at, scale, lens.normalised), at))
        return cls(scene, lens, tuple(parts), sum(len(at) for _, at in parts))

    @property
    def count(self) -> int:
        """How many windows have passed."""
        return sum(len(at) for _, at in self.parts)

    def after(self, stage: Stage) -> Sweep:
        """Those that one more stage lets pass."""
        kept, looked_up = [], self.looked_up + self.count * len(stage.votes)
        for windows, at in self.parts:
            checkpoint()
            good = stage.passes(windows)
            kept.append((windows.some(good), at[good]))
        return replace(self, parts=tuple(kept), looked_up=looked_up)

    def boxes(self) -> Array:
        """The windows (b, 4): top, left, height and width."""
        found = []
        for windows, at in self.parts:
            sides = np.array([round(windows.scale * side) for side in self.lens.shape])
            found.append(np.concatenate([at, np.broadcast_to(sides, at.shape)], axis=1))
        return np.concatenate(found)

    def drawn(self, count: int, rng: np.random.Generator) -> Sweep:
        """So many of them, by chance."""
        if self.count <= count:
            return self
        chosen = np.zeros(self.count, dtype=bool)
        chosen[rng.choice(self.count, count, replace=False)] = True
        masks = np.split(chosen, np.cumsum([len(at) for _, at in self.parts])[:-1])
        kept = tuple((windows.some(mask), at[mask]) for (windows, at), mask in zip(self.parts, masks))
        return replace(self, parts=kept)

    def values(self, asks: Array) -> Array:
        """Their features (f, count)."""
        return np.concatenate([windows.values(asks) for windows, _ in self.parts], axis=1)

    def crops(self, most: int) -> Array:
        """What is in the first of them, in the size of a picture, (c, h, w)."""
        found = [enlarged(self.scene[t : t + h, x : x + w], *self.lens.shape) for t, x, h, w in self.boxes()[:most]]
        return np.stack(found) if found else np.empty((0, *self.lens.shape))


def covered(boxes: Array, shape: tuple[int, int]) -> Array:
    """How many boxes (b, 4) lie over each pixel of a picture: one count at four corners each, summed up twice."""
    counts = np.zeros((shape[0] + 1, shape[1] + 1))
    top, left, high, wide = boxes.T
    for down, across, sign in ((top, left, 1.0), (top + high, left, -1.0), (top, left + wide, -1.0)):
        np.add.at(counts, (down, across), sign)
    np.add.at(counts, (top + high, left + wide), 1.0)
    return np.asarray(counts.cumsum(axis=0).cumsum(axis=1)[:-1, :-1])


def overlaps(one: Array, two: Array) -> Array:
    """The fraction that each box of ``one`` (a, 4) shares with each of ``two`` (b, 4), of what both cover: (a, b)."""
    inside = np.ones((len(one), len(two)))
    for axis in (0, 1):
        low = np.maximum(one[:, None, axis], two[None, :, axis])
        high = np.minimum((one[:, axis] + one[:, axis + 2])[:, None], (two[:, axis] + two[:, axis + 2])[None])
        inside *= np.maximum(high - low, 0)
    both = (one[:, 2] * one[:, 3])[:, None] + (two[:, 2] * two[:, 3])[None] - inside
    return np.asarray(inside / both)


def merged(boxes: Array, agree: int) -> Array:
    """One box (f, 4) for each heap of windows that lie over each other; heaps of fewer than ``agree`` do not count."""
    from scipy.sparse.csgraph import connected_components

    boxes = boxes[np.linspace(0, len(boxes) - 1, min(len(boxes), MOST_MERGED)).astype(int)] if len(boxes) else boxes
    if not len(boxes):
        return np.empty((0, 4), dtype=np.int64)
    _, heap = connected_components(overlaps(boxes, boxes) > SAME, directed=False)
    sizes = np.bincount(heap)
    means = np.stack([np.bincount(heap, boxes[:, side]) / sizes for side in range(4)], axis=1)
    return np.rint(means[sizes >= agree]).astype(np.int64)


def hits(found: Array, truth: Array) -> tuple[int, int]:
    """How many targets were found, and how many finds are none."""
    if not len(found) or not len(truth):
        return 0, len(found)
    shared = overlaps(found, truth) > SAME
    return int(shared.any(axis=0).sum()), int((~shared.any(axis=1)).sum())
