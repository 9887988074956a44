"""Arrays of other libraries: in memory, in files, on devices, not yet computed, with units."""
