"""Steps that a library runs: the loss that a function hands back to it, and what its objects keep under properties."""
