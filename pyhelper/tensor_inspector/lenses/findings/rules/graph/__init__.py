"""Rules about the autograd graph: missing, cut, freed, kept for too long, or not reaching a parameter."""
