"""In which order gradients are cleared, computed and used."""
