"""Finding the lowest place of a function."""
