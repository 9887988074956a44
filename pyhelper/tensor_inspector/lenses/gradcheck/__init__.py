"""Whether a backward is right: its gradients beside differences of the function's own values."""
