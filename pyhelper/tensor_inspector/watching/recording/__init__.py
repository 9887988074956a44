"""Numbers of expressions that are recorded after each step of an optimizer."""
