"""What happens between here and there, or elsewhere in the program."""
