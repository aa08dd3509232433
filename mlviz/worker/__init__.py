"""Running algorithms in a thread and recording what they do. No Qt."""
