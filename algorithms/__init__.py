"""Machine-learning algorithms that can be watched: pure generators of immutable snapshots on NumPy and SciPy."""

from algorithms.contract import DataError, Stop
from algorithms.dataset import Dataset, Points
from algorithms.fitting import Fit, fit
from algorithms.params import ParamError
from algorithms.registry import UnknownAlgorithm, all_algorithms, find

__all__ = [
    "DataError",
    "Dataset",
    "Fit",
    "ParamError",
    "Points",
    "Stop",
    "UnknownAlgorithm",
    "all_algorithms",
    "find",
    "fit",
]
