"""Finds mistakes in a training step. Each rule is a function of the step in sight."""
