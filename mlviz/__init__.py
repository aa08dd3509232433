"""The visual machine-learning laboratory."""

__version__ = "0.1.0"
