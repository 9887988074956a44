"""Rules about the graph: missing, cut, freed, kept for too long, and what it does not reach."""
