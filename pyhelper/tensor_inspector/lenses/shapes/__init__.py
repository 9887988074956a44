"""Which layer makes which shape: a module is run on inputs, and each call of a layer is noted."""
