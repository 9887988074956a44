"""Rules about losses: what they are given, and what they compare."""
