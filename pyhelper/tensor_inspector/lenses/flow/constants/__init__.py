"""What expressions and conditions of the source are, as far as values in sight tell."""
