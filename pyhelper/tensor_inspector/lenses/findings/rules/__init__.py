"""The rules, a file per group."""
