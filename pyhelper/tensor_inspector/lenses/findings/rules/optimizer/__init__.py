"""Rules about optimizers: what they hold, when they step, and what a step changes."""
