"""How two values differ: name by name and element by element."""
