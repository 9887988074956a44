"""Questions about the autograd graph: what it is made of, where it breaks, and where what is not finite began."""
