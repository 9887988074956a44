"""The gradients of a model, and what the optimizer would make of them."""
