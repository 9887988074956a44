"""Rules about data: batches, samples and splits."""
