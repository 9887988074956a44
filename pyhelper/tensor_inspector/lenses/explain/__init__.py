"""Explains an exception: the operands of the failing line, which one does not fit, and what would fit."""
