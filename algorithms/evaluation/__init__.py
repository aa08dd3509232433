"""How good a method is, and why: losses, errors on new data, bias and variance."""
