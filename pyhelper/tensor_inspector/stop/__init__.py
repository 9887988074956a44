"""One stop of the program: its frame, its values, and what the user asked to run."""
