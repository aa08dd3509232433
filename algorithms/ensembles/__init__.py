"""Methods that let many decide together."""
