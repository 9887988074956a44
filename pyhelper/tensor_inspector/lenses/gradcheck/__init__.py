"""Checks a backward: compares its gradients with finite differences of the function's values."""
