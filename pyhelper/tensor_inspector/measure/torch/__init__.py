"""What torch keeps of a tensor."""
