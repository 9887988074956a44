"""What is remembered between stops, on purpose: numbers only."""
