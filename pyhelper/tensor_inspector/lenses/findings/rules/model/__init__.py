"""Rules about models: their mode, their layers, and copies of them."""
