"""Predicting a real value: curves, surfaces and their uncertainty."""
