"""Robots: where the joints must stand for a tool to be where it is wanted."""
