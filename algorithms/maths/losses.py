"""Functions that losses are made of."""

from __future__ import annotations

import numpy as np

from algorithms.data import Array


def softplus(a: Array) -> Array:
    """log(1 + e^a), which never overflows; ``np.logaddexp(0, a)`` takes five times as long.

    The cross-entropy of a point that lies m on its own side of a sigmoid is softplus(-m).
    """
    answer = np.abs(a)
    np.negative(answer, out=answer)
    np.exp(answer, out=answer)
    np.log1p(answer, out=answer)
    answer += np.maximum(a, 0.0)
    return answer
