"""Where the light gear looks: modules, losses, gradients, parameters and buffers."""
