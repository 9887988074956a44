"""Exceptions about objects rather than tensors: copied, pickled, hidden by a property, looked up by a label."""
