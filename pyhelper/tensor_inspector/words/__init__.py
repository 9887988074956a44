"""Turns typed data into text for people."""
