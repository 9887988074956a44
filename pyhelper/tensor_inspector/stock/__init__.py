"""What the debugger's own views show."""
