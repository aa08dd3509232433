"""Where data comes from: generators, built-in sets, files. No Qt."""
