"""What is remembered between stops: only numbers."""
