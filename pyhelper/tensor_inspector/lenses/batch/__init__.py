"""What is in a batch, a dataset, a loader or a table."""
