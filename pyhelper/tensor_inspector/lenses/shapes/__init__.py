"""Runs a module on inputs and notes the shapes of each layer's call."""
