"""What several rules about the graph share, and what one of them works out."""
