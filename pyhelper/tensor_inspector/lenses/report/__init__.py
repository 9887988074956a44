"""A report of a failure, or of where a program stands, as text for others to read."""
