"""Kinds of numpy's arrays; what is said of array elements in general."""
