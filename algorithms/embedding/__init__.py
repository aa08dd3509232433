"""Maps of high-dimensional points in few dimensions."""
