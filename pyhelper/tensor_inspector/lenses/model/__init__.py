"""The modules of a model as a tree, with what each holds."""
