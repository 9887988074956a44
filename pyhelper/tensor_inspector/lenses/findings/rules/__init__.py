"""The rules, a folder per group; `registry` has them all."""
