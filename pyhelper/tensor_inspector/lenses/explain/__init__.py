"""What an exception was about: the operands of the failing line, the one that disagrees, and what would fit."""
