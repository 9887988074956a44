"""Kinds of numpy's arrays, and what the elements of any array say."""
