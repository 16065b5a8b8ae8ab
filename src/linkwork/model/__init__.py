"""What a machine is: plain data, by name, in the layout posture."""
