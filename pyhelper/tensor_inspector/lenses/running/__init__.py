"""Running code of the program where the user has asked for it, with all that it changes put back."""
