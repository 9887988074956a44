"""Measures tensors, modules, optimizers and graphs of torch."""
