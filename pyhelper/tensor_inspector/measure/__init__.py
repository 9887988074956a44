"""Measures values: typed data, no words."""
