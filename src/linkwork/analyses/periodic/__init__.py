"""Motions that repeat themselves: shooting over a period, multipliers, branches over the frequency."""
