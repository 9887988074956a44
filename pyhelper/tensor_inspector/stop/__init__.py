"""One stop of the program: its frame, its values, and the code that the user asked to run."""
