"""What several rules about calls share."""
