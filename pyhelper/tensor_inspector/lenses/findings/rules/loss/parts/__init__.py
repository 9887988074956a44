"""What several rules about losses share, and what one of them measures."""
