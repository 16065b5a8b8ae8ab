"""Small motions about a set point: named matrices, modes, frequency response, response in time."""
