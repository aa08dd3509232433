"""Reads a MATLAB file in a process of its own: SciPy's reader can end the whole process on a damaged file.

Run as a script: ``mat_reader.py FILE OUT.npz``. It knows nothing of the rest of the program.
"""

from __future__ import annotations

import sys
import warnings

TOO_NEW = 3
TOO_LARGE = 4
MAX_CELLS = 20_000_000


def main(source: str, target: str) -> int:
    """Write every matrix of numbers or text into the archive."""
    import numpy as np
    import scipy.io

    warnings.simplefilter("ignore")
    try:
        found = scipy.io.loadmat(source, verify_compressed_data_integrity=True)
    except NotImplementedError:
        return TOO_NEW
    arrays = {}
    for name, value in found.items():
        if hasattr(value, "toarray"):
            if value.shape[0] * value.shape[1] > MAX_CELLS:
                return TOO_LARGE
            arrays[name] = np.asarray(value.toarray())
        elif not name.startswith("__") and isinstance(value, np.ndarray) and value.dtype.kind in "biufU":
            # MATLAB has no vectors: one row or one column is meant as one
            arrays[name] = value.reshape(-1) if value.ndim == 2 and 1 in value.shape else value
    np.savez(target, **arrays)  # type: ignore[arg-type]
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
