"""Questions about values, each a function with a typed answer."""
