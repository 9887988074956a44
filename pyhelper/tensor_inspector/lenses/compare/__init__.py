"""How two values differ: by name, and element by element."""
