"""The lens `keep`: copies a value as it is now, so that a later stop can be compared with it."""
