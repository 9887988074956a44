"""The exact gear: every operator of torch that runs."""
