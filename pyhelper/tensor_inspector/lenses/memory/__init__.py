"""What takes memory, by the names that reach it, and who keeps a value alive."""
