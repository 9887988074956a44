"""What torch's operations take, save and make, as tables by the names of their nodes."""
