"""What the gradients of a model are like, and what the optimizer would make of them."""
