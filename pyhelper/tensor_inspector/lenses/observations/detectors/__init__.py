"""The detectors, a file each: what one sees, how rare that is, and why it matters."""
