"""Where gradients flow, and where they are detached."""
