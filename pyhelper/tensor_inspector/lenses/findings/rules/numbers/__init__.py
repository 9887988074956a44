"""Rules about numbers: not finite, too large or small, or all equal."""
