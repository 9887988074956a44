"""Kinds of Python's own values."""
