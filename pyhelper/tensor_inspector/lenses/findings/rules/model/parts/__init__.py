"""What several rules about models share."""
