"""The rules, one folder per group; `registry` lists all of them."""
