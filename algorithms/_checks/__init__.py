"""The checks of :mod:`algorithms.checks` and what they need: data, recorded runs, questions about values."""
