"""Runs code of the program on request, and restores all that it changes."""
