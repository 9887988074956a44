"""Rules about optimizers: their parameters, when they step, and what a step changes."""
