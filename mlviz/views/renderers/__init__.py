"""One renderer for each type of mark; found by type."""
