"""Text for people, made of typed data."""
