"""Typed data about values, without words."""
