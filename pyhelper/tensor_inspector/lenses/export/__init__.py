"""`export`: a value as a file, in a format that other programs read."""
