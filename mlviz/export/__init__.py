"""What leaves the window: pictures, films, fitted parameters."""
