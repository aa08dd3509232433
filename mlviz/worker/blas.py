"""One BLAS thread per worker: a matrix product that takes every core makes the window stutter."""

from __future__ import annotations

import os
import sys
import threading

_CARRIERS = ("numpy", "scipy.linalg", "sklearn")
"""Packages that each bring a BLAS or OpenMP of their own, loaded when first imported."""
VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Where these libraries look, when they are loaded, for how many threads they may have."""
_seen: set[str] = set()
_lock = threading.Lock()


def limit_blas_threads() -> None:
    """Limit all numeric libraries loaded so far; cheap when nothing new was loaded since the last call.

    Nothing is left to do where all have been told before they were loaded, as by the command that opens the window.
    """
    if all(os.environ.get(variable) == "1" for variable in VARIABLES):
        return
    loaded = {name for name in _CARRIERS if name in sys.modules}
    with _lock:
        if loaded <= _seen:
            return
        _seen.update(loaded)
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    threadpool_limits(1)
