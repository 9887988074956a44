"""Rules about a call that is about to run, and will fail."""
