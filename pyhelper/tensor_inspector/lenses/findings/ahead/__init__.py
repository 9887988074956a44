"""Predicts what the source is about to do, and whether anything undoes it before."""
