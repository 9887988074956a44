"""A bug report about a failure, or about where the program stands, as text."""
