"""Arithmetic in model files: text as data, with exact derivatives, never executed.

`names`           what variables may be called
`nodes`           the tree and its walk
`parser`          text to tree, by a whitelist
`printer`         tree to text
`differentiation` tree to tree
`jumps`           where it jumps or has a kink: what decides that, and its value on a given side
`smoothness`      whether it really does
`evaluation`      with numbers, arrays or CasADi symbols
`expression`      what the rest of the program uses
"""

from linkwork.expressions.expression import Expression, names_in
from linkwork.expressions.parser import FUNCTIONS, MAX_DEPTH, MAX_LENGTH, parse

__all__ = ["FUNCTIONS", "MAX_DEPTH", "MAX_LENGTH", "Expression", "names_in", "parse"]
