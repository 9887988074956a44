"""What went before a hit."""
