"""Grouping points without being told the groups."""
