"""What tests of methods ask of frames and maps."""

import numpy as np


def cloud(n, d, seed=0):
    """Gaussian points."""
    return np.random.default_rng(seed).normal(size=(n, d))


def phase(frames, name):
    """The frames of a phase."""
    return [frame for frame in frames if frame.phase == name]


def marks(frame, panel, kind):
    """The marks of a kind in a panel."""
    return [mark for mark in frame.views.get(panel, ()) if isinstance(mark, kind)]


def mark(frame, kind, panel="plane"):
    """The only mark of a kind in a panel."""
    (found,) = marks(frame, panel, kind)
    return found


def same_up_to_sign(one, two, tolerance=1e-8):
    """Whether two maps are equal but for the signs of their coordinates."""
    signs = np.sign((one * two).sum(axis=0))
    return np.abs(one - two * signs).max() <= tolerance * np.abs(two).max()
