"""From text to a tree, by a whitelist: nothing of the text is ever executed."""

from __future__ import annotations

import ast
import math
import re
from functools import lru_cache, reduce

from linkwork.errors import InputError, ModelError, Problem, did_you_mean
from linkwork.expressions.names import RATE, is_plain, is_variable
from linkwork.expressions.nodes import Binary, Call, Negative, Node, Number, Variable, Where
from linkwork.expressions.units_in_text import quantities_in
from linkwork.units.dimensions import ANGLE

MAX_LENGTH = 500
MAX_DEPTH = 100

CONSTANTS = {"pi": math.pi, "tau": math.tau, "deg": math.pi / 180.0}
FUNCTIONS = {
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "atan2": 2,
    "sinh": 1,
    "cosh": 1,
    "tanh": 1,
    "exp": 1,
    "log": 1,
    "sqrt": 1,
    "abs": 1,
    "sign": 1,
    "min": 2,
    "max": 2,
    "hypot": 2,
}
"""The functions, each with its number of arguments; `min` and `max` take more than two as well."""

COMPARISONS = ("<", "<=", ">", ">=")
ALLOWED = "numbers, also with units (4 mm), + - * / **, brackets, pi, tau, where(a < b, x, y) and " + ", ".join(
    FUNCTIONS
)

_STRANGERS = {
    "^": ("'^'", "write a power as **"),
    "%": ("'%'", "there is no remainder"),
    "'": ("a string", ""),
    '"': ("a string", ""),
    "[": ("a '['", "lists and indices have no place here"),
    "{": ("a '{'", "sets and tables have no place here"),
    ":": ("a ':'", ""),
    "#": ("a '#'", "comments have no place here"),
    "&": ("'&'", "there are no bit operations"),
    "|": ("'|'", "write abs(x) for a magnitude"),
    "~": ("'~'", "there are no bit operations"),
    "π": ("'π'", "write pi"),
    "·": ("'·'", "write a product as *"),
    "×": ("'×'", "write a product as *"),
    "−": ("a typographic minus", "write -"),
    "²": ("'²'", "write a power as **2"),
    "³": ("'³'", "write a power as **3"),
    "≤": ("'≤'", "write <="),
    "≥": ("'≥'", "write >="),
}
_ORDINARY = re.compile(r"[A-Za-z0-9_+\-*/().,<>=! \t\r\n]")
# Names, and numbers with the name into which they run, as in 2t or 1_000. Quantifiers are possessive: 2e5 is a number.
_WORD = re.compile(
    r"[A-Za-z_][A-Za-z0-9_]*+"
    r"|(?P<number>(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)(?P<name>[A-Za-z_][A-Za-z0-9_]*+)?"
)
_OTHER_NAMES = {
    "ln": "write log(x), the natural logarithm",
    "log10": "write log(x)/log(10)",
    "e": "write exp(1)",
    "pow": "write a power as a**b",
    "arcsin": "write asin(x)",
    "arccos": "write acos(x)",
    "arctan": "write atan(x)",
    "arctan2": "write atan2(y, x)",
    "fabs": "write abs(x)",
    "j": "there are no imaginary numbers",
    "if_else": "write where(a < b, x, y)",
}
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_FOUND = {
    ast.Attribute: "a '.' after a name",
    ast.BoolOp: "'and' or 'or'",
    ast.IfExp: "an 'if'",
    ast.Starred: "a starred argument",
    ast.GeneratorExp: "a 'for'",
    ast.Tuple: "a list of values",
    ast.Yield: "a 'yield'",
    ast.Constant: "'...'",
}
_DECIMAL_COMMA = re.compile("([0-9]),([0-9])")
_OPERATORS = {
    ast.FloorDiv: "'//'",
    ast.MatMult: "'@'",
    ast.LShift: "'<<'",
    ast.RShift: "'>>'",
    ast.Not: "'not'",
    ast.Eq: "'=='",
    ast.NotEq: "'!='",
    ast.In: "'in'",
    ast.NotIn: "'not in'",
    ast.Is: "'is'",
    ast.IsNot: "'is not'",
}


_QUOTED = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"")


@lru_cache(maxsize=512)
def parse(text: str, variables: tuple[str, ...] | None) -> Node:
    """The tree of an expression in the given variables, or in any (None); a `InputError` says what has no place in it.

    Where variables have other names than plain ones, and where any may stand, names such as `C.slide`, `'my-joint'`
    and `rate(C.slide)` are read, too.
    """
    if len(text) > MAX_LENGTH:
        raise InputError(f"the expression '{text[:30]}...' is too long; {MAX_LENGTH} characters are the most")
    if not text:
        raise InputError(Problem("the expression is empty", hint="write arithmetic such as '2*t + 1'"))
    reader = _Reader(text, variables)
    reader.check_characters()
    try:
        return reader.node(ast.parse(reader.plain, mode="eval").body, depth=0)
    except SyntaxError as error:
        raise reader.problem(f"it breaks off or goes wrong ({error.msg})", error.offset) from None
    except (ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise reader.problem("it is nested too deeply", None, "split it into parts") from None


def _is_built_in(name: str) -> bool:
    return name in FUNCTIONS or name in CONSTANTS or name == "where"


class _Reader:
    """Turns Python's syntax tree into nodes, and refuses everything that is not on the list."""

    def __init__(self, text: str, variables: tuple[str, ...] | None) -> None:
        self.text = text
        self.variables = variables or ()
        self.any_name = variables is None
        self.of_joints = variables is None or not all(is_plain(name) for name in variables)
        self.plain = text
        """The text with zeros in the place of every number that has a unit."""
        self.quantities: dict[int, Number] = {}
        """These numbers, by where they begin [bytes]."""
        for found in quantities_in(text):
            zeros = "0" * (found.end - found.start)
            self.plain = self.plain[: found.start] + zeros + self.plain[found.end :]
            self.quantities[len(self.plain[: found.start].encode())] = Number(found.value, found.measures)

    def problem(self, what: str, column: int | None, hint: str = "") -> InputError:
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        place = f" at character {column}" if column else ""
        return InputError(Problem(f"in the expression {shown!r}{place}: {what}", hint=hint or f"allowed are {ALLOWED}"))

    def refuse(self, found: str, syntax: ast.expr, hint: str = "") -> InputError:
        return self.problem(f"{found} is not allowed", syntax.col_offset + 1, hint)

    def check_characters(self) -> None:
        # What stands in quotes is looked at as a name, later.
        text = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), self.plain) if self.of_joints else self.plain
        for column, character in enumerate(text, 1):
            if not _ORDINARY.match(character):
                found, hint = _STRANGERS.get(character, (repr(character), ""))
                raise self.problem(f"{found} is not allowed", column, hint)
        for word in _WORD.finditer(text):
            number, name = word["number"], word["name"]
            if name:
                known = self.any_name or name in (*self.variables, *CONSTANTS, *FUNCTIONS)
                hint = _OTHER_NAMES.get(name) or (f"write {number}*{name}" if known else "put an operator between them")
                raise self.problem(f"the number {number} runs into '{name[:30]}'", word.start() + 1, hint)

    def node(self, syntax: ast.expr, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.problem(f"it has more than {MAX_DEPTH} levels", syntax.col_offset + 1, "split it into parts")
        depth += 1
        match syntax:
            case ast.Constant(value=(bool() | None) as value):
                raise self.refuse(f"'{value}'", syntax)
            case ast.Constant(value=int() | float()):
                return self.quantities.get(syntax.col_offset) or Number(self.number(syntax))
            case ast.Name(id=name):
                return self.name(name, syntax)
            case ast.Attribute(value=ast.Name(id=joint), attr=variable) if self.of_joints and not _is_built_in(
                variable
            ):
                return self.variable(f"{joint}.{variable}", syntax)
            case ast.Constant(value=str() as name) if self.of_joints:
                return self.variable(name, syntax)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.node(operand, depth)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return Negative(self.node(operand, depth))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return Binary(_BINARY[type(op)], self.node(left, depth), self.node(right, depth))
            case ast.Call():
                return self.call(syntax, depth)
            case ast.Compare():
                raise self.refuse("a comparison", syntax, "comparisons stand first in where(a < b, x, y) only")
            case ast.BinOp(op=op) | ast.UnaryOp(op=op):
                raise self.refuse(_OPERATORS.get(type(op), type(op).__name__), syntax)
            case ast.Attribute(attr=attribute) if _is_built_in(attribute):
                raise self.refuse("a '.' after a name", syntax, f"write {attribute} alone")
            case ast.Tuple() if _DECIMAL_COMMA.search(self.text):
                meant = _DECIMAL_COMMA.sub(r"\1.\2", self.text, count=1)
                raise self.refuse("a comma", syntax, f"a decimal comma? write a point: {meant}")
        raise self.refuse(_FOUND.get(type(syntax), f"'{type(syntax).__name__}'"), syntax)

    def number(self, syntax: ast.Constant) -> float:
        try:
            value = float(syntax.value)  # type: ignore[arg-type]
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise self.problem("the number is too large", syntax.col_offset + 1, "numbers go up to about 1e308")
        return value

    def name(self, name: str, syntax: ast.expr) -> Node:
        if name in self.variables:
            return Variable(name)
        if name in CONSTANTS:
            return Number(CONSTANTS[name], ANGLE if name == "deg" else None)
        if name in FUNCTIONS or name == "where":
            raise self.problem(f"'{name}' needs its arguments in brackets", syntax.col_offset + 1, f"write {name}(...)")
        if self.any_name and name not in _OTHER_NAMES:
            return Variable(name)
        raise self.unknown(name, [*self.variables, *CONSTANTS, *FUNCTIONS], syntax)

    def variable(self, name: str, syntax: ast.expr) -> Node:
        """A variable with a dot, in quotes, or under `rate`."""
        if name in self.variables or (self.any_name and is_variable(name) and not _is_built_in(name)):
            return Variable(name)
        if self.any_name:
            hint = "write a joint or its variable, such as A or C.slide"
            raise self.problem(f"{name[:30]!r} cannot name a variable", syntax.col_offset + 1, hint)
        raise self.unknown(name, list(self.variables), syntax)

    def rate(self, syntax: ast.Call) -> Node:
        """The rate of a variable, which is a variable of its own."""
        match syntax.args:
            case [ast.Name(id=name)] | [ast.Constant(value=str() as name)]:
                return self.variable(f"{RATE}({name})", syntax)
            case [ast.Attribute(value=ast.Name(id=joint), attr=variable)]:
                return self.variable(f"{RATE}({joint}.{variable})", syntax)
        hint = "write rate(A) or rate(C.slide)"
        raise self.problem("rate takes the name of one variable", syntax.col_offset + 1, hint)

    def unknown(self, name: str, known: list[str], syntax: ast.expr) -> InputError:
        hint = _OTHER_NAMES.get(name) or did_you_mean(name[:30], known)
        return self.problem(f"'{name[:30]}' is not known", syntax.col_offset + 1, hint)

    def call(self, syntax: ast.Call, depth: int) -> Node:
        if not isinstance(syntax.func, ast.Name):
            if isinstance(syntax.func, ast.Attribute):
                self.node(syntax.func, depth)
            raise self.problem("only a function can be called", syntax.col_offset + 1, "write a product as *")
        name = syntax.func.id
        if name in self.variables or name in CONSTANTS:
            raise self.problem(f"'{name}' is no function", syntax.col_offset + 1, f"write {name}*(...) for a product")
        rated = name == RATE and (self.any_name or any(known.startswith(f"{RATE}(") for known in self.variables))
        if name not in FUNCTIONS and name != "where" and not rated:
            raise self.unknown(name, [*FUNCTIONS, "where", *([RATE] if self.of_joints else [])], syntax)
        if syntax.keywords:
            raise self.refuse("a '=' in a call", syntax)
        if rated:
            return self.rate(syntax)
        if name == "where":
            return self.where(syntax, depth)
        arguments = tuple(self.node(argument, depth) for argument in syntax.args)
        wanted, given = FUNCTIONS[name], len(arguments)
        if name in ("min", "max") and given > 2:
            return reduce(lambda a, b: Call(name, (a, b)), arguments)
        if given != wanted:
            plural = "argument" if wanted == 1 else "arguments"
            raise self.problem(
                f"{name} takes {wanted} {plural}, not {given}", syntax.col_offset + 1, "check the commas"
            )
        return Call(name, arguments)

    def where(self, syntax: ast.Call, depth: int) -> Node:
        usage = "write where(a < b, x, y): x where the comparison holds, else y"
        if len(syntax.args) != 3:
            raise self.problem(f"where takes 3 arguments, not {len(syntax.args)}", syntax.col_offset + 1, usage)
        condition, then, otherwise = syntax.args
        if not isinstance(condition, ast.Compare):
            raise self.problem("where must begin with a comparison", condition.col_offset + 1, usage)
        if len(condition.ops) > 1:
            raise self.refuse("a chain of comparisons", condition, "nest one where in another")
        op = type(condition.ops[0])
        if op not in _COMPARE:
            raise self.refuse(_OPERATORS.get(op, op.__name__), condition, "compare with < <= > >=")
        left, right = self.node(condition.left, depth), self.node(condition.comparators[0], depth)
        return Where(_COMPARE[op], left, right, self.node(then, depth), self.node(otherwise, depth))
