"""What a program runs with: versions, devices, and settings that change what it computes."""
