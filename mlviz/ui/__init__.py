"""The widgets of the window. Nothing here computes."""
