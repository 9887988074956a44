"""The step in sight: what a paused training loop is about, each thing by the name that the user would type."""
