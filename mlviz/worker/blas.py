"""One BLAS thread per worker: a matrix product that takes every core makes the window stutter."""

from __future__ import annotations

import sys
import threading

_CARRIERS = ("numpy", "scipy.linalg", "sklearn")
"""Packages that each bring a BLAS or OpenMP of their own, loaded when first imported."""
_seen: set[str] = set()
_lock = threading.Lock()


def limit_blas_threads() -> None:
    """Limit all numeric libraries loaded so far; cheap when nothing new was loaded since the last call."""
    loaded = {name for name in _CARRIERS if name in sys.modules}
    with _lock:
        if loaded <= _seen:
            return
        _seen.update(loaded)
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    threadpool_limits(1)
