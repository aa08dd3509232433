"""Methods on graphs."""
