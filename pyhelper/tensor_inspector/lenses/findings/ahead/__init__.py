"""What the source is about to do, and whether nothing undoes it before then."""
