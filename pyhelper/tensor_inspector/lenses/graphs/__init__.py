"""Questions about the autograd graph: its operations, where it breaks, where NaN began."""
