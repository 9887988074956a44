"""One reading of the source of the program, asked by findings, observations and explanations."""
