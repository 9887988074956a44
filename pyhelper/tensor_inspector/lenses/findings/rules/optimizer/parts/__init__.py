"""What several rules about optimizers share, and what one of them works out."""
