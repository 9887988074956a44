"""Reading without running: what can be asked of any value without its code, and within a budget."""
