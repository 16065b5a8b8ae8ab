"""Movies: which samples are shown when, what they look like, and the files they are written to."""
