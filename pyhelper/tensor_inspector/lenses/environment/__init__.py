"""What a program runs with: versions, devices, and each setting that changes what it computes."""
