"""The training step in sight of a paused frame: its values, source and graph, each value by the name that one types."""
