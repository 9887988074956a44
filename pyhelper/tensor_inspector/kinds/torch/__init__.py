"""Kinds of torch's values."""
