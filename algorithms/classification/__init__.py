"""Learning classes from examples."""
