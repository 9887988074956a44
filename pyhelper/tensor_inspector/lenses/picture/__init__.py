"""`picture`: two dimensions of a tensor as a raster, drawn with what the program has imported."""
