"""What several rules about numbers share, and what they measure."""
