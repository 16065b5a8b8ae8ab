"""Expressions: exact answers, derivatives against CasADi and the complex step, and text that nobody expected."""

import copy
import itertools
import math
import pickle
import subprocess
import sys
import time

import casadi
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from linkwork.errors import ModelError
from linkwork.expressions import FUNCTIONS, MAX_DEPTH, MAX_LENGTH, Expression, names_in, parse
from linkwork.expressions.smoothness import breaks

quick = settings(derandomize=True, deadline=None, max_examples=150)


# Exact answers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7.0),
        ("-2**2", -4.0),
        ("2**-1", 0.5),
        ("2**3**2", 512.0),
        ("(1 - 2) - 3", -4.0),
        ("1 - (2 - 3)", 2.0),
        ("7/2/2", 1.75),
        ("+t", 0.5),
        ("--t", 0.5),
        ("2*pi - tau", 0.0),
        ("1e3 + .5 + 2.", 1002.5),
        ("atan2(1, -1)", 3 * math.pi / 4),
        ("hypot(3, 4)", 5.0),
        ("min(3, 1, 2)", 1.0),
        ("max(3, 1, 2, 5)", 5.0),
        ("abs(-3) + sign(-2) + sign(0)", 2.0),
        ("where(t < 1, 10, 20)", 10.0),
        ("where(t > 1, 10, 20)", 20.0),
        ("where(t <= 0.5, 1, 0) + where(t >= 0.5, 2, 0)", 3.0),
        ("t +\n 1", 1.5),
    ],
)
def test_values(text, value):
    found = Expression(text)(t=0.5)
    assert type(found) is float
    assert found == value


@pytest.mark.parametrize("name", [n for n, size in FUNCTIONS.items() if size == 1 and n not in ("abs", "sign")])
def test_functions_are_those_of_mathematics(name):
    assert Expression(f"{name}(t)")(t=0.3) == pytest.approx(getattr(math, name)(0.3), rel=1e-15)


def test_arrays_broadcast():
    law = Expression("x*y + 1", ("x", "y"))
    assert law(x=np.ones((3, 1)), y=np.arange(2)).tolist() == [[1.0, 2.0]] * 3
    assert law(x=[1, 2], y=3).tolist() == [4.0, 7.0]
    constant = Expression("2")(t=np.zeros((2, 2)))
    assert constant.shape == (2, 2)
    constant[0, 0] = 5.0
    assert constant.sum() == 11.0
    assert Expression("t")(t=np.arange(3, dtype=np.float32)).dtype == np.float64
    assert Expression("t")(t=np.array([])).shape == (0,)


def test_outside_the_domain_is_silent():
    assert Expression("1/t")(t=0.0) == math.inf
    assert math.isnan(Expression("sqrt(t)")(t=-1.0))
    assert math.isnan(Expression("t**0.5")(t=-1.0))
    assert Expression("exp(t)")(t=1e6) == math.inf
    assert Expression("9**9**9**9")(t=0.0) == math.inf
    assert np.isnan(Expression("log(t)")(t=np.array([-1.0]))).all()
    assert Expression("where(t < 0, 0, sqrt(t))")(t=-1.0) == 0.0


def test_missing_and_unknown_values():
    law = Expression("x + 1", ("x", "y"))
    assert law(x=1.0) == 2.0
    assert law.used == {"x"}
    with pytest.raises(TypeError, match="needs a value of x"):
        law(y=1.0)
    with pytest.raises(TypeError, match="no variable 'z'"):
        law(x=1.0, z=1.0)


def test_expressions_are_plain_data():
    law = Expression(" sin(t) ")
    assert law == Expression("sin(t)")
    assert law != Expression("sin(t)", ("t", "x"))
    assert law != law.derivative("t")
    assert law.derivative("t") == Expression("sin(t)").derivative("t")
    assert len({law, Expression("sin(t)"), law.derivative("t")}) == 2
    for one in (law, law.derivative("t")):
        assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
        assert pickle.loads(pickle.dumps(one))(t=0.2) == one(t=0.2)
    with pytest.raises(AttributeError):
        law.text = "t"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("3", "0"),
        ("t", "1"),
        ("2*t + 5", "2"),
        ("t**2", "2*t"),
        ("t**0", "0"),
        ("sin(t)", "cos(t)"),
        ("cos(t)", "-sin(t)"),
        ("exp(-t)", "-exp(-t)"),
        ("log(t)", "1/t"),
        ("abs(t)", "sign(t)"),
        ("sign(t)", "0"),
        ("max(t, 0)", "where(t >= 0, 1, 0)"),
        ("where(t < 1, t, 2 - t)", "where(t < 1, 1, -1)"),
        ("where(t < 1, t, t + 2)", "1"),
        ("pi**t", "pi**t*log(pi)"),
        ("1e300*1e300*t", "1e+300*1e+300"),
    ],
)
def test_derivatives_are_small(text, first):
    assert str(Expression(text).derivative("t")) == first


def test_third_derivatives_share_their_parts():
    product = "*".join(f"(t + {i})" for i in range(1, 46))
    third = Expression(product).derivative("t").derivative("t").derivative("t")
    assert len(third._order) < 4000
    t = casadi.SX.sym("t")
    exact = Expression(product)(t=t)
    for _ in range(3):
        exact = casadi.jacobian(exact, t)
    assert third(t=0.5) == pytest.approx(float(casadi.Function("f", [t], [exact])(0.5)), rel=1e-12)
    assert "too long" in str(third)


# What is refused

REFUSED = {
    "t^2": "'^' is not allowed; write a power as **",
    "2t": "runs into 't'; write 2*t",
    "2j": "runs into 'j'; there are no imaginary numbers",
    "1_000": "runs into '_000'",
    "0x10": "runs into 'x10'",
    "1if t else 2": "runs into 'if'",
    "t.3if": "runs into 'if'",
    "t.real": "a '.' after a name is not allowed; allowed are numbers",
    "math.sin(t)": "write sin alone",
    "t.__class__()": "a '.' after a name",
    "__import__('os')": "a string is not allowed",
    "__import__(t)": "'__import__' is not known",
    "eval(t)": "'eval' is not known",
    "sinn(t)": "did you mean 'sin'?",
    "x + 1": "'x' is not known",
    "e**t": "write exp(1)",
    "ln(t)": "write log(x), the natural logarithm",
    "pow(t, 2)": "write a power as a**b",
    "t if t else 1": "an 'if' is not allowed",
    "t and 1": "'and' or 'or' is not allowed",
    "not t": "'not' is not allowed",
    "(lambda: 1)()": "a ':' is not allowed",
    "(t := 1)": "a ':' is not allowed",
    "t == 1": "a comparison is not allowed; comparisons stand first in where",
    "t < 1": "a comparison is not allowed",
    "where(0 < t < 1, 1, 2)": "a chain of comparisons is not allowed",
    "where(t == 1, 1, 2)": "'==' is not allowed; compare with < <= > >=",
    "where(t != 1, 1, 2)": "'!=' is not allowed",
    "where(t in t, 1, 2)": "'in' is not allowed",
    "where(t, 1, 2)": "where must begin with a comparison",
    "where(t < 1, 2)": "where takes 3 arguments, not 2",
    "where": "'where' needs its arguments in brackets",
    "sin": "'sin' needs its arguments in brackets",
    "sin()": "sin takes 1 argument, not 0",
    "atan2(t)": "atan2 takes 2 arguments, not 1",
    "min(t)": "min takes 2 arguments, not 1",
    "t(3)": "'t' is no function; write t*(...) for a product",
    "pi(3)": "'pi' is no function",
    "sin(t)(3)": "only a function can be called",
    "2(t)": "only a function can be called",
    "t % 2": "'%' is not allowed",
    "t // 2": "'//' is not allowed",
    "t @ t": "'@' is not allowed",
    "t << 2": "'<<' is not allowed",
    "t & 1": "'&' is not allowed",
    "~t": "'~' is not allowed",
    "True": "'True' is not allowed",
    "None": "'None' is not allowed",
    "...": "'...' is not allowed",
    "[1][0]": "a '[' is not allowed",
    "{1}": "a '{' is not allowed",
    "(1, 2)": "a list of values is not allowed",
    "()": "a list of values is not allowed",
    "sin(*t)": "a starred argument is not allowed",
    "sin(t=1)": "a '=' in a call is not allowed",
    "sin(**t)": "a '=' in a call is not allowed",
    "sin(t for t in t)": "a 'for' is not allowed",
    "(yield)": "a 'yield' is not allowed",
    "f'{t}'": "a string is not allowed",
    "b'1'": "a string is not allowed",
    "1; 2": "';' is not allowed",
    "t # note": "a '#' is not allowed",
    "t \\ 2": "is not allowed",
    "t +": "it breaks off or goes wrong",
    "t t": "it breaks off or goes wrong",
    "t = 1": "it breaks off or goes wrong",
    "(t": "it breaks off or goes wrong",
    "import os": "it breaks off or goes wrong",
    "": "the expression is empty",
    "a\0b": "is not allowed",
    "٣": "is not allowed",
    "ｔ": "is not allowed",
    "π": "write pi",
    "1e999": "the number is too large",
    "9" * 400: "the number is too large",
    "a" * 10**6: "is too long",
    "a" * 400: "is not known",
    "(" * 10_000: "is too long",
    "(" * 400: "goes wrong",
    "(" * 90 + "t" + ")" * 90 + "**": "goes wrong",
    "-" * 10_000 + "t": "is too long",
    "-" * 400 + "t": "more than 100 levels",
    "+".join(["t"] * 240): "more than 100 levels",
    "sin(" * 110 + "t" + ")" * 110: "is too long",
    "abs(" * 98 + "-t" + ")" * 98: "",
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: repr(text[:24]))
def test_refused(text):
    start = time.perf_counter()
    if not REFUSED[text]:
        assert Expression(text)(t=2.0) == 2.0
        return
    with pytest.raises(ModelError) as caught:
        Expression(text)
    assert time.perf_counter() - start < 2.0
    assert REFUSED[text] in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_place_is_named():
    with pytest.raises(ModelError, match="at character 5: 'y' is not known"):
        Expression("t + y")


def test_text_and_variables_are_checked():
    with pytest.raises(ModelError, match="must be text"):
        Expression(3)  # type: ignore[arg-type]
    for name in ("sin", "pi", "where", "a b", "a.b.c", "rate()", "rate(a b)", "-a", "", 3):
        with pytest.raises(ModelError):
            Expression("1", (name,))  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="did you mean 'time'"):
        Expression("time", ("time",)).derivative("tme")
    assert Expression("x + e", ["x", "e"])(x=1, e=2) == 3.0  # type: ignore[arg-type]


def test_longest_and_deepest_that_is_allowed():
    text = "t" + " " * 5 + "+t" * (MAX_DEPTH - 1)
    assert Expression(text)(t=1.0) == MAX_DEPTH
    third = Expression(text.replace("+", "*")).derivative("t").derivative("t").derivative("t")
    assert third(t=1.0) == pytest.approx(100 * 99 * 98)
    with pytest.raises(ModelError):
        Expression("1" * (MAX_LENGTH + 1))


# Derivatives against CasADi and the complex step

LAWS = [
    "0.3*sin(2*t) + t**3/7 - 5",
    "exp(-0.5*t)*cos(3*t)",
    "tan(0.4*t)/(1 + t**2)",
    "asin(t/4)*acos(t/5) + atan(t)",
    "atan2(sin(t), 2 + cos(t))",
    "atan2(t - 3, t - 2.5)",
    "sinh(t)*cosh(t/2) - tanh(t)",
    "sqrt(1 + t)*log(2 + t)",
    "abs(t - 3)*t**2",
    "sign(t - 3)*t**4",
    "min(t**2, 3*t, 4) + max(t**3, exp(t))",
    "hypot(t, 2)*hypot(3, t**2)",
    "where(t < 1, t**4, where(t <= 3, 1/t, sin(t)))",
    "where(sin(5*t) > 0, sin(5*t)**3, 0)",
    "t**t + 2**t + t**2.5 + (1 + t)**(-1.5)",
    "10*(t/2)**3 - 15*(t/2)**4 + 6*(t/2)**5",
    "-(-t)**3 - -t",
]


def casadi_values(text, orders, at, kind=casadi.SX):
    """The expression and its derivatives, traced and differentiated by CasADi."""
    t = kind.sym("t")
    results = [Expression(text)(t=t)]
    for _ in range(orders):
        results.append(casadi.jacobian(results[-1], t))
    return [float(x) for x in casadi.Function("f", [t], results)(at)]


def derivatives(text, orders):
    laws = [Expression(text)]
    for _ in range(orders):
        laws.append(laws[-1].derivative("t"))
    return laws


@pytest.mark.parametrize("text", LAWS)
def test_derivatives_agree_with_casadi(text):
    for at in (0.37, 1.1, 2.23, 3.6):
        found = [law(t=at) for law in derivatives(text, 3)]
        assert found == pytest.approx(casadi_values(text, 3, at), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("text", LAWS)
def test_derivatives_agree_with_the_complex_step(text):
    step = 1e-30
    at = np.array([0.37, 1.1, 2.23, 3.6])
    laws = derivatives(text, 3)
    for law, slope in itertools.pairwise(laws):
        complex_value = law(t=at + 1j * step)
        assert np.real(complex_value) == pytest.approx(law(t=at), rel=1e-12, abs=1e-12)
        assert np.imag(complex_value) / step == pytest.approx(slope(t=at), rel=1e-9, abs=1e-9)


def test_complex_numbers_stay_complex():
    found = Expression("t**2")(t=2.0 + 1e-20j)
    assert type(found) is complex
    assert found.imag == pytest.approx(4e-20)
    assert type(Expression("t")(t=np.complex64(1j))) is complex


@pytest.mark.parametrize("kind", [casadi.SX, casadi.MX, casadi.DM])
@pytest.mark.parametrize("text", [*LAWS, "3", "1/0", "where(1 < 2, 3, 4)", "min(1, 2)*2**3", "sin(pi/2)"])
def test_casadi_values_agree_with_numpy(kind, text):
    at = np.array([0.37, 1.1, 2.23])
    if kind is casadi.DM:
        found = Expression(text)(t=casadi.DM(at))
        assert isinstance(found, casadi.DM)
    else:
        t = kind.sym("t", 3)
        traced = Expression(text)(t=t)
        assert isinstance(traced, kind)
        assert traced.shape == (3, 1)
        found = casadi.Function("f", [t], [traced])(at)
    assert np.array(found).ravel() == pytest.approx(Expression(text)(t=at), rel=1e-13)


def test_partial_derivatives():
    law = Expression("x**2*sin(y)", ("x", "y"))
    mixed = law.derivative("x").derivative("y")
    assert mixed(x=3.0, y=0.4) == pytest.approx(6 * math.cos(0.4), rel=1e-15)
    x, y = casadi.SX.sym("x"), casadi.SX.sym("y")
    assert isinstance(law(x=x, y=0.4), casadi.SX)
    assert isinstance(law(x=casadi.DM(2), y=y), casadi.SX)
    assert float(law(x=casadi.DM(2), y=0.4)) == pytest.approx(4 * math.sin(0.4))


def test_numbers_need_no_casadi():
    code = (
        "import sys; from linkwork.expressions import Expression; law = Expression('sin(t)').derivative('t'); "
        "assert not {'numpy', 'casadi'} & set(sys.modules); assert law(t=0.0) == 1.0; "
        "assert 'casadi' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# Random expressions


def grown(parts):
    one = [f"{name}({{}})" for name, size in FUNCTIONS.items() if size == 1]
    one += ["(-{})", "({})**2", "({})**3", "({})**-1", "sqrt(1 + ({})**2)", "log(2 + ({})**2)", "({})/3"]
    two = ["({}) + ({})", "({}) - ({})", "({})*({})", "({})/({})", "atan2({}, {})", "hypot({}, {})"]
    two += ["min({}, {})", "max({}, {})", "abs({})**({})", "{} - {}", "-{} + {}", "2*{} - {}/3"]
    return st.one_of(
        st.builds(str.format, st.sampled_from(one), parts),
        st.builds(str.format, st.sampled_from(two), parts, parts),
        st.builds(
            "where({} {} {}, {}, {})".format, parts, st.sampled_from(["<", "<=", ">", ">="]), parts, parts, parts
        ),
    )


numbers = st.floats(0.1, 5.0).map(lambda x: repr(round(x, 3)))
expressions = st.recursive(
    st.one_of(st.just("t"), numbers, st.sampled_from(["pi", "tau", "2", "1", "0"])), grown, max_leaves=7
)


@quick
@given(expressions.filter(lambda text: len(text) <= MAX_LENGTH), st.sampled_from([0.31, 0.77, 1.63]))
def test_random_derivatives_agree_with_casadi(text, at):
    found = [law(t=at) for law in derivatives(text, 3)]
    exact = casadi_values(text, 3, at)
    assume(all(math.isfinite(x) and abs(x) < 1e6 for x in found + exact))
    # Where two sides of a comparison meet, either side may be taken: leave such points out.
    near = casadi_values(text, 3, at + 1e-9) + casadi_values(text, 3, at - 1e-9)
    assume(all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-4) for a, b in zip(near, exact * 2, strict=True)))
    assert found == pytest.approx(exact, rel=1e-7, abs=1e-7)


@quick
@given(expressions.filter(lambda text: len(text) <= MAX_LENGTH), st.floats(-3.0, 3.0))
def test_printed_derivatives_are_read_back_exactly(text, at):
    for law in derivatives(text, 2)[1:]:
        printed = str(law)
        if len(printed) <= MAX_LENGTH:
            again = Expression(printed)
            assert again(t=at) == law(t=at) or (math.isnan(again(t=at)) and math.isnan(law(t=at)))


@quick
@given(st.one_of(st.text(max_size=60), st.text("t+-*/()<>=,. 12eisnwhr_", max_size=40), expressions))
@example("0or 1")
@example("\ud800")
@example("1" + "." * 300)
@example("t" + ".t" * 240)
def test_any_text_gives_an_expression_or_a_model_error(text):
    try:
        law = Expression(text)
    except ModelError as error:
        assert error.problems[0].what
        return
    law(t=0.5)
    law.derivative("t")(t=np.array([0.5, -1.0]))
    assert parse(law.text, law.variables) is not None


@quick
@given(st.floats(0.0, allow_nan=False, allow_infinity=False))
def test_numbers_round_trip(number):
    assert Expression(repr(number))() == number
    assert Expression(f"-{number!r}*t").derivative("t")(t=0.0) == -number


# ---------------------------------------------------------------- names of joint variables and rates


def test_names_in_a_text():
    text = "3*C.slide + sin(A) + rate(C.slide)*t + 'my-joint.slide'*rate('1') - \"Ärmel\" + C.slide + pi"
    names = ("C.slide", "A", "rate(C.slide)", "t", "my-joint.slide", "rate(1)", "Ärmel")
    assert names_in(text) == names
    assert names_in("2*pi") == ()
    values = {name: float(i) for i, name in enumerate(names, 2)}
    expected = 3 * 2 + math.sin(3) + 4 * 5 + 6 * 7 - 8 + 2 + math.pi
    assert Expression(text, names)(**values) == pytest.approx(expected, rel=1e-15)


def test_names_of_joints_are_differentiated_and_printed():
    law = Expression("'my-joint.slide'**2*C.slide + rate(C.slide)*rate('1.angle')", (*NAMES,))
    assert str(law.derivative("my-joint.slide")) == "2*'my-joint.slide'*C.slide"
    assert str(law.derivative("rate(1.angle)")) == "rate(C.slide)"
    values = dict(zip(NAMES, (2.0, 3.0, 4.0, 5.0), strict=True))
    for name in NAMES:
        derivative = law.derivative(name)
        again = Expression(str(derivative), NAMES)
        assert again(**values) == derivative(**values)
        step = law(**{**values, name: values[name] + 1e-30j}).imag / 1e-30
        assert derivative(**values) == pytest.approx(step, rel=1e-14)


NAMES = ("my-joint.slide", "C.slide", "rate(C.slide)", "rate(1.angle)")

REFUSED_NAMES = {
    "C.slide.x": "a '.' after a name is not allowed",
    "rate(2)": "rate takes the name of one variable; write rate(A) or rate(C.slide)",
    "rate()": "rate takes the name of one variable",
    "rate(A, B)": "rate takes the name of one variable",
    "rate(rate(A))": "rate takes the name of one variable",
    "rate(A=1)": "a '=' in a call is not allowed",
    "'a b'": "'a b' cannot name a variable",
    "'sin'": "'sin' cannot name a variable",
    "''": "'' cannot name a variable",
    r"'\x41'": "is not allowed",
    "f'{t}'": "is not allowed",
    "b'1'": "is not allowed",
    "it's": "a string is not allowed",
    "math.sin(t)": "write sin alone",
    "sinn(t)": "did you mean 'sin'?",
    "e**t": "write exp(1)",
    "2A": "write 2*A",
    "A(t)": "'A' is not known",
    "C.slide(t)": "only a function can be called",
    "A[0]": "a '[' is not allowed",
    "lambda: 1": "a ':' is not allowed",
}


@pytest.mark.parametrize("text", REFUSED_NAMES)
def test_refused_names(text):
    with pytest.raises(ModelError) as caught:
        names_in(text)
    assert REFUSED_NAMES[text] in str(caught.value)


def test_unknown_names_of_joints():
    for text, hint in (("C.slid", "did you mean 'C.slide'?"), ("rate(C.slid)", "did you mean 'rate(C.slide)'?")):
        with pytest.raises(ModelError) as caught:
            Expression(text, NAMES)
        assert hint in str(caught.value)
    with pytest.raises(ModelError, match="'rate' is not known"):
        Expression("rate(t)", ("t",))
    with pytest.raises(ModelError, match="must be text"):
        names_in(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("abs(A)", [("abs", "A = 0", False)]),
        ("abs(A)*A", []),
        ("sign(A)*abs(A) + where(A > 0, max(A, 0), A)", []),
        ("sign(A)*A", [("sign", "A = 0", False)]),
        ("sign(A)*A**3", []),
        ("where(A > k, A - k, 0) + where(A < 1, 2, 3)", [("where", "A = 1", True), ("where", "A = k", False)]),
        ("where(A > k, (A - k)**2, 0)", []),
        ("where(A <= 1, exp(A), exp(1)*A)", []),
        ("where(A < 200, 0, A)", [("where", "A = 200", True)]),
        ("1e6*abs(A - 50*deg)", [("abs", "A - 50*deg = 0", False)]),
        ("sqrt(abs(A))", [("abs", "A = 0", False)]),
        ("abs(A**2 + 1) + max(sin(A), 2)", []),
        ("min(A, B, 2)", [("min", "A = B", False), ("min", "min(A, B) = 2", False)]),
        ("where(sign(A)*B > 0, A, B)", [("sign", "A = 0", True)]),
        ("atan2(P.y, P.x) - A", []),
        ("max(2*k, 1)*A", []),
    ],
)
def test_where_an_expression_is_not_smooth(text: str, found: list[tuple[str, str, bool]]) -> None:
    """By its value and slope on both sides of every switch, not by its functions."""
    names = {"k": 0.3} if "k" in names_in(text) else {}
    assert [(own.function, own.place, own.jumps) for own in breaks(text, names)] == found


def test_where_coefficients_of_rates_are_not_smooth() -> None:
    rates = ("rate(A)", "rate(B)")
    assert [own.jumps for own in breaks("rate(A)*sign(B) - rate(B)", {}, rates)] == [True]
    assert [own.jumps for own in breaks("rate(A)*abs(B) - rate(B)", {}, rates)] == [False]
    assert breaks("rate(A)*abs(B)*B - rate(B)", {}, rates) == ()
