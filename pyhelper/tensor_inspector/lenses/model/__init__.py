"""What a model is made of: its modules as a tree, with what each of them holds."""
