"""Pieces of mathematics used by two or more algorithms."""
