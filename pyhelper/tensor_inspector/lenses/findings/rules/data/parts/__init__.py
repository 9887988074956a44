"""What several rules about data share, and what one of them measures."""
