"""The explanations, by kind of error."""
