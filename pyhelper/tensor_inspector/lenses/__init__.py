"""Lenses: questions about values, each with an answer of its own type."""
