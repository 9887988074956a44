"""Rules about losses: their arguments, and what they compare."""
