"""Methods for series over time."""
