"""What a mechanism obeys: laws of motion as traced expressions, one law a file."""
