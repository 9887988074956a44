"""Kinds of other libraries' values."""
