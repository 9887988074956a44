"""Reads values without running their code, within a budget."""
