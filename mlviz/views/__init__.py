"""Drawing: a canvas, one renderer per mark, the theme."""
