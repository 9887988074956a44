"""Each kind of error, and what is said of it."""
