"""Arithmetic in model files: text such as '0.2*sin(3*t) + 1' as data, with exact derivatives.

An expression is read by a whitelist into a small tree and never handed to the interpreter. The tree can be evaluated
with floats, complex numbers, NumPy arrays and CasADi symbols, differentiated as often as one likes, and printed.

>>> law = Expression("sin(2*t)")
>>> law(t=0.0)
0.0
>>> print(law.derivative("t"))
cos(2*t)*2
>>> law.derivative("t")(t=0.0)
2.0

Nothing here recurses over a tree except the reader, whose depth is bounded: evaluation, differentiation and printing
walk a list of the nodes, children first, in which a node that is used twice stands once. Derivatives share the nodes of
what they derive from, so that a third derivative costs a few times the function and not its cube.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Any

from linkwork.errors import ModelError, Problem, did_you_mean

MAX_LENGTH = 500
MAX_DEPTH = 100
MAX_PRINTED = 20_000

CONSTANTS = {"pi": math.pi, "tau": math.tau}
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
ALLOWED = "numbers, + - * / **, brackets, pi, tau, where(a < b, x, y) and " + ", ".join(FUNCTIONS)


# The tree ------------------------------------------------------------------------------------------------------------
# Nodes are compared by identity: a node that is shared is met once.


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A constant."""

    value: float


@dataclass(frozen=True, eq=False, slots=True)
class Variable:
    """A quantity given at evaluation."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Negative:
    """-a"""

    a: Node


@dataclass(frozen=True, eq=False, slots=True)
class Binary:
    """a op b, with one of + - * / **"""

    op: str
    a: Node
    b: Node


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """A function of one or two arguments."""

    name: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Where:
    """`then` where left op right holds, else `otherwise`; op is one of < <= > >="""

    op: str
    left: Node
    right: Node
    then: Node
    otherwise: Node


Node = Number | Variable | Negative | Binary | Call | Where

ZERO = Number(0.0)
ONE = Number(1.0)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes that a node is made of."""
    match node:
        case Negative(a):
            return (a,)
        case Binary(_, a, b):
            return (a, b)
        case Call(_, arguments):
            return arguments
        case Where(_, left, right, then, otherwise):
            return (left, right, then, otherwise)
    return ()


def in_order(root: Node) -> tuple[Node, ...]:
    """Every node below and including `root`, once, children before parents."""
    order: dict[Node, None] = {}
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order[node] = None
        elif node not in order:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children(node)) if child not in order)
    return tuple(order)


# Reading -------------------------------------------------------------------------------------------------------------

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


@lru_cache(maxsize=512)
def parse(text: str, variables: tuple[str, ...]) -> Node:
    """The tree of an expression in the given variables; a `ModelError` says what has no place in it, and where."""
    if len(text) > MAX_LENGTH:
        raise ModelError(f"the expression '{text[:30]}...' is too long; {MAX_LENGTH} characters are the most")
    if not text:
        raise ModelError(Problem("the expression is empty", hint="write arithmetic such as '2*t + 1'"))
    reader = _Reader(text, variables)
    reader.check_characters()
    try:
        return reader.node(ast.parse(text, mode="eval").body, depth=0)
    except SyntaxError as error:
        raise reader.problem(f"it breaks off or goes wrong ({error.msg})", error.offset) from None
    except (ValueError, MemoryError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise reader.problem("it is nested too deeply", None, "split it into parts") from None


class _Reader:
    """Turns Python's syntax tree into nodes, and refuses everything that is not on the list."""

    def __init__(self, text: str, variables: tuple[str, ...]) -> None:
        self.text = text
        self.variables = variables

    def problem(self, what: str, column: int | None, hint: str = "") -> ModelError:
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "..."
        place = f" at character {column}" if column else ""
        return ModelError(Problem(f"in the expression {shown!r}{place}: {what}", hint=hint or f"allowed are {ALLOWED}"))

    def refuse(self, found: str, syntax: ast.expr, hint: str = "") -> ModelError:
        return self.problem(f"{found} is not allowed", syntax.col_offset + 1, hint)

    def check_characters(self) -> None:
        for column, character in enumerate(self.text, 1):
            if not _ORDINARY.match(character):
                found, hint = _STRANGERS.get(character, (repr(character), ""))
                raise self.problem(f"{found} is not allowed", column, hint)
        for word in _WORD.finditer(self.text):
            number, name = word["number"], word["name"]
            if name:
                known = name in (*self.variables, *CONSTANTS, *FUNCTIONS)
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
                return Number(self.number(syntax))
            case ast.Name(id=name):
                return self.name(name, syntax)
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
            case ast.Attribute(attr=attribute) if attribute in FUNCTIONS or attribute in CONSTANTS:
                raise self.refuse("a '.' after a name", syntax, f"write {attribute} alone")
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
            return Number(CONSTANTS[name])
        if name in FUNCTIONS or name == "where":
            raise self.problem(f"'{name}' needs its arguments in brackets", syntax.col_offset + 1, f"write {name}(...)")
        raise self.unknown(name, [*self.variables, *CONSTANTS, *FUNCTIONS], syntax)

    def unknown(self, name: str, known: list[str], syntax: ast.expr) -> ModelError:
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
        if name not in FUNCTIONS and name != "where":
            raise self.unknown(name, [*FUNCTIONS, "where"], syntax)
        if syntax.keywords:
            raise self.refuse("a '=' in a call", syntax)
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


# Printing ------------------------------------------------------------------------------------------------------------

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)
_LEVEL = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "**": _POWER}


def to_text(order: Iterable[Node]) -> str:
    """The last node of `order` as text that `parse` reads back into a tree with the same values to the last bit."""
    texts: dict[Node, tuple[str, int]] = {}
    text = ""
    for node in order:
        text, level = _text_of(node, texts)
        if len(text) > MAX_PRINTED:
            return "(an expression too long to print)"
        texts[node] = text, level
    return text


def _text_of(node: Node, texts: Mapping[Node, tuple[str, int]]) -> tuple[str, int]:
    """The text of one node, and how tightly it binds, from the texts of its children."""

    def at_least(level: int, child: Node) -> str:
        text, own = texts[child]
        return text if own >= level else f"({text})"

    match node:
        case Number(value):
            return _number_text(value), _ATOM if math.copysign(1.0, value) > 0 else _SIGN
        case Variable(name):
            return name, _ATOM
        case Negative(a):
            return f"-{at_least(_SIGN, a)}", _SIGN
        case Binary("**", a, b):
            return f"{at_least(_ATOM, a)}**{at_least(_SIGN, b)}", _POWER
        case Binary(op, a, b):
            level = _LEVEL[op]
            gap = " " if level == _SUM else ""
            return f"{at_least(level, a)}{gap}{op}{gap}{at_least(level + 1, b)}", level
        case Call(name, arguments):
            return f"{name}({', '.join(texts[a][0] for a in arguments)})", _ATOM
        case Where(op, left, right, then, otherwise):
            condition = f"{texts[left][0]} {op} {texts[right][0]}"
            return f"where({condition}, {texts[then][0]}, {texts[otherwise][0]})", _ATOM


def _number_text(value: float) -> str:
    for name, constant in CONSTANTS.items():
        if value == constant:
            return name
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)


# Differentiating -----------------------------------------------------------------------------------------------------


def differentiate(root: Node, variable: str) -> Node:
    """The exact derivative of a tree. `abs`, `min`, `max` and `where` are differentiated piece by piece."""
    d: dict[Node, Node] = {}
    for node in in_order(root):
        d[node] = _derivative_of(node, d, variable)
    return d[root]


def _derivative_of(node: Node, d: Mapping[Node, Node], variable: str) -> Node:
    """The derivative of one node, from the derivatives of its children."""
    match node:
        case Number():
            return ZERO
        case Variable(name):
            return ONE if name == variable else ZERO
        case Negative(a):
            return _negative(d[a])
        case Binary("+", a, b):
            return _add(d[a], d[b])
        case Binary("-", a, b):
            return _subtract(d[a], d[b])
        case Binary("*", a, b):
            return _add(_multiply(d[a], b), _multiply(a, d[b]))
        case Binary("/", a, b):
            # (a/b)' = (a' - (a/b) b') / b
            return _divide(_subtract(d[a], _multiply(node, d[b])), b)
        case Binary(_, a, b):
            # (a**b)' = b a**(b-1) a' + a**b log(a) b'
            by_base = ZERO if d[a] is ZERO else _multiply(_multiply(b, _power(a, _subtract(b, ONE))), d[a])
            by_exponent = ZERO if d[b] is ZERO else _multiply(_multiply(node, Call("log", (a,))), d[b])
            return _add(by_base, by_exponent)
        case Where(op, left, right, then, otherwise):
            return _where(op, left, right, d[then], d[otherwise])
        case Call("min", (a, b)):
            return _where("<=", a, b, d[a], d[b])
        case Call("max", (a, b)):
            return _where(">=", a, b, d[a], d[b])
        case Call("atan2", (y, x)):
            top = _subtract(_multiply(x, d[y]), _multiply(y, d[x]))
            return _divide(top, _add(_multiply(x, x), _multiply(y, y)))
        case Call("hypot", (a, b)):
            return _divide(_add(_multiply(a, d[a]), _multiply(b, d[b])), node)
        case Call(name, (a,)):
            return ZERO if d[a] is ZERO else _multiply(_SLOPES[name](node, a), d[a])
    raise AssertionError(node)  # pragma: no cover - the cases above are all there are


def _call(name: str, *arguments: Node) -> Node:
    return Call(name, arguments)


# f'(a) for f(a), with f(a) itself at hand.
_SLOPES: dict[str, Callable[[Node, Node], Node]] = {
    "sin": lambda f, a: _call("cos", a),
    "cos": lambda f, a: _negative(_call("sin", a)),
    "tan": lambda f, a: _add(ONE, _multiply(f, f)),
    "asin": lambda f, a: _divide(ONE, _call("sqrt", _subtract(ONE, _multiply(a, a)))),
    "acos": lambda f, a: _divide(Number(-1.0), _call("sqrt", _subtract(ONE, _multiply(a, a)))),
    "atan": lambda f, a: _divide(ONE, _add(ONE, _multiply(a, a))),
    "sinh": lambda f, a: _call("cosh", a),
    "cosh": lambda f, a: _call("sinh", a),
    "tanh": lambda f, a: _subtract(ONE, _multiply(f, f)),
    "exp": lambda f, a: f,
    "log": lambda f, a: _divide(ONE, a),
    "sqrt": lambda f, a: _divide(Number(0.5), f),
    "abs": lambda f, a: _call("sign", a),
    "sign": lambda f, a: ZERO,
}


# Sums, products and powers in which zeros, ones and numbers are worked out at once. ZERO is always the same object.


def _number(value: float) -> Node:
    return ZERO if value == 0.0 else ONE if value == 1.0 else Number(value)


def _value(node: Node) -> float | None:
    return node.value if isinstance(node, Number) else None


def _negative(a: Node) -> Node:
    match a:
        case Number(value):
            return _number(-value)
        case Negative(inner):
            return inner
    return Negative(a)


def _fold(op: str, a: Node, b: Node, result: float) -> Node:
    """The number that two numbers make, unless it is out of range."""
    return _number(result) if math.isfinite(result) else Binary(op, a, b)


def _add(a: Node, b: Node) -> Node:
    match a, b:
        case Number(x), Number(y):
            return _fold("+", a, b, x + y)
        case Number(0.0), _:
            return b
        case _, Number(0.0):
            return a
        case _, Negative(inner):
            return _subtract(a, inner)
    return Binary("+", a, b)


def _subtract(a: Node, b: Node) -> Node:
    match a, b:
        case Number(x), Number(y):
            return _fold("-", a, b, x - y)
        case Number(0.0), _:
            return _negative(b)
        case _, Number(0.0):
            return a
        case _, Negative(inner):
            return _add(a, inner)
    return Binary("-", a, b)


def _multiply(a: Node, b: Node) -> Node:
    if a is ZERO or b is ZERO or _value(a) == 0.0 or _value(b) == 0.0:
        return ZERO
    match a, b:
        case Number(x), Number(y):
            return _fold("*", a, b, x * y)
        case Number(1.0), _:
            return b
        case _, Number(1.0):
            return a
        case Number(-1.0), _:
            return _negative(b)
        case _, Number(-1.0):
            return _negative(a)
        case Negative(inner), _:
            return _negative(_multiply(inner, b))
        case _, Negative(inner):
            return _negative(_multiply(a, inner))
    return Binary("*", a, b)


def _divide(a: Node, b: Node) -> Node:
    match a, b:
        case Number(0.0), _:
            return ZERO
        case _, Number(1.0):
            return a
        case Negative(inner), _:
            return _negative(_divide(inner, b))
    return Binary("/", a, b)


def _power(a: Node, b: Node) -> Node:
    match b:
        case Number(0.0):
            return ONE
        case Number(1.0):
            return a
    return Binary("**", a, b)


def _where(op: str, left: Node, right: Node, then: Node, otherwise: Node) -> Node:
    if then is otherwise or (isinstance(then, Number) and _value(otherwise) == then.value):
        return then
    return Where(op, left, right, then, otherwise)


# Evaluating ----------------------------------------------------------------------------------------------------------


def evaluate(order: Iterable[Node], values: Mapping[str, Any], operations: Mapping[str, Callable[..., Any]]) -> Any:
    """The value of the last node of `order`, computed with the given arithmetic."""
    results: dict[Node, Any] = {}
    result: Any = None
    for node in order:
        match node:
            case Number(value):
                result = value
            case Variable(name):
                result = values[name]
            case Negative(a):
                result = -results[a]
            case Binary(op, a, b):
                result = operations[op](results[a], results[b])
            case Call(name, arguments):
                result = operations[name](*(results[a] for a in arguments))
            case Where(op, left, right, then, otherwise):
                condition = operations[op](results[left], results[right])
                result = operations["where"](condition, results[then], results[otherwise])
        results[node] = result
    return result


@lru_cache(maxsize=1)
def _numpy_operations() -> dict[str, Callable[..., Any]]:
    """Arithmetic on floats, complex numbers and arrays.

    A complex argument carries a small imaginary step, so every function here is analytic: comparisons look at real
    parts, and `abs`, `sign`, `min`, `max` and `atan2` follow the branch on which the real part lies.
    """
    import numpy as np

    def magnitude(a: Any) -> Any:
        return a * np.sign(np.real(a))

    def sign(a: Any) -> Any:
        return np.sign(np.real(a))

    def smaller(a: Any, b: Any) -> Any:
        return np.where(np.real(a) <= np.real(b), a, b)

    def larger(a: Any, b: Any) -> Any:
        return np.where(np.real(a) >= np.real(b), a, b)

    def angle(y: Any, x: Any) -> Any:
        if not (np.iscomplexobj(y) or np.iscomplexobj(x)):
            return np.arctan2(y, x)
        # Turn back by the real angle; what remains is small, and its tangent has no branch to choose.
        y0, x0 = np.real(y), np.real(x)
        return np.arctan2(y0, x0) + np.arctan((y * x0 - x * y0) / (x * x0 + y * y0))

    def hypotenuse(a: Any, b: Any) -> Any:
        if not (np.iscomplexobj(a) or np.iscomplexobj(b)):
            return np.hypot(a, b)
        return np.sqrt(a * a + b * b)

    return {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.divide,
        "**": np.power,
        "<": lambda a, b: np.real(a) < np.real(b),
        "<=": lambda a, b: np.real(a) <= np.real(b),
        ">": lambda a, b: np.real(a) > np.real(b),
        ">=": lambda a, b: np.real(a) >= np.real(b),
        "where": np.where,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "atan2": angle,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "exp": np.exp,
        "log": np.log,
        "sqrt": np.sqrt,
        "abs": magnitude,
        "sign": sign,
        "min": smaller,
        "max": larger,
        "hypot": hypotenuse,
    }


@lru_cache(maxsize=1)
def _casadi_operations() -> dict[str, Callable[..., Any]]:
    """Arithmetic on CasADi expressions."""
    import casadi

    same_name = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt")
    return {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: casadi.rdivide(a, b),
        "**": casadi.power,
        "<": casadi.lt,
        "<=": casadi.le,
        ">": casadi.gt,
        ">=": casadi.ge,
        "where": casadi.if_else,
        **{name: getattr(casadi, name) for name in (*same_name, "sign")},
        "abs": casadi.fabs,
        "min": casadi.fmin,
        "max": casadi.fmax,
        "hypot": lambda a, b: casadi.sqrt(a * a + b * b),
    }


def _is_casadi(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "casadi"


def _evaluate_casadi(order: Iterable[Node], values: Mapping[str, Any]) -> Any:
    import casadi

    result = evaluate(order, values, _casadi_operations())
    given = [value for value in values.values() if _is_casadi(value)]
    symbols = [value for value in given if not isinstance(value, casadi.DM)] or given
    like = max(symbols, key=lambda value: int(value.numel()))
    if not isinstance(result, type(like)) or result.numel() < like.numel():
        result = type(like).ones(*like.shape) * result  # a constant takes the kind and the shape of the symbols
    return result


def _evaluate_numpy(order: Iterable[Node], values: Mapping[str, Any]) -> Any:
    import numpy as np

    arrays = {}
    for name, value in values.items():
        array = np.asarray(value)
        arrays[name] = (
            array if array.dtype == np.complex128 else array.astype(complex if array.dtype.kind == "c" else float)
        )
    shape = np.broadcast_shapes(*(a.shape for a in arrays.values()))
    with np.errstate(all="ignore"):
        result = np.asarray(evaluate(order, arrays, _numpy_operations()))
    if not shape:
        return result.item()
    return result if result.shape == shape else np.broadcast_to(result, shape).copy()


# The expression ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _tree(text: str, variables: tuple[str, ...], by: tuple[str, ...]) -> Node:
    if not by:
        return parse(text, variables)
    return differentiate(_tree(text, variables, by[:-1]), by[-1])


@dataclass(frozen=True)
class Expression:
    """Arithmetic on named variables, read from text.

    Parameters
    ----------
    text
        Numbers, + - * / **, brackets, the variables, `pi`, `tau`, the functions of `FUNCTIONS`, and
        `where(a < b, x, y)` for x where the comparison holds and y elsewhere.
    variables
        The names that the text may use.
    by
        The variables by which the text is differentiated, in turn; `derivative` fills it in.

    Two expressions are equal when these three are. Call one with its variables by name: floats, complex numbers,
    arrays (they broadcast) or CasADi symbols. Outside the domain of a function the result is inf or nan, silently.

    >>> Expression("where(t < 1, t**2, 1)")(t=[0.5, 2.0])
    array([0.25, 1.  ])
    """

    text: str
    variables: tuple[str, ...] = ("t",)
    by: tuple[str, ...] = ()
    _order: tuple[Node, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ModelError(Problem("an expression must be text", hint="write arithmetic such as '2*t + 1'"))
        object.__setattr__(self, "text", " ".join(self.text.split()))
        object.__setattr__(self, "variables", _checked_variables(self.variables))
        object.__setattr__(self, "by", tuple(self.by))
        for name in self.by:
            if name not in self.variables:
                hint = did_you_mean(str(name)[:30], self.variables)
                raise ModelError(Problem(f"{self.text[:60]!r} has no variable {name!r}", hint=hint))
        object.__setattr__(self, "_order", in_order(_tree(self.text, self.variables, self.by)))

    def __reduce__(self) -> tuple[Any, ...]:
        return Expression, (self.text, self.variables, self.by)

    def __str__(self) -> str:
        return to_text(self._order) if self.by else self.text

    @property
    def tree(self) -> Node:
        """The root of the tree."""
        return self._order[-1]

    @property
    def used(self) -> frozenset[str]:
        """The variables on which the value depends."""
        return frozenset(node.name for node in self._order if isinstance(node, Variable))

    def derivative(self, variable: str = "t") -> Expression:
        """The exact derivative by one of the variables, an expression again.

        >>> print(Expression("t**3").derivative("t").derivative("t"))
        3*(2*t)
        """
        return Expression(self.text, self.variables, (*self.by, variable))

    def __call__(self, **values: Any) -> Any:
        for name in values:
            if name not in self.variables:
                raise TypeError(f"{self.text[:60]!r} has no variable {name!r}; {did_you_mean(name, self.variables)}")
        missing = sorted(self.used - values.keys())
        if missing:
            raise TypeError(f"{self.text[:60]!r} needs a value of {', '.join(missing)}")
        if any(_is_casadi(value) for value in values.values()):
            return _evaluate_casadi(self._order, values)
        return _evaluate_numpy(self._order, values)


def _checked_variables(variables: Iterable[str]) -> tuple[str, ...]:
    names = (variables,) if isinstance(variables, str) else tuple(variables)
    problems = []
    for name in names:
        if not isinstance(name, str) or not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
            problems.append(Problem(f"{name!r} cannot name a variable", hint="use letters, digits and _"))
        elif name in FUNCTIONS or name in CONSTANTS or name == "where":
            problems.append(Problem(f"the variable {name!r} hides what is built in", hint="choose another name"))
    if problems:
        raise ModelError(problems)
    return names
