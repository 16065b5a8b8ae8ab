"""Units: exact answers, every unit against pint, and text that nobody expected."""

import math
import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pint
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import linkwork.units as lu
from linkwork.errors import ModelError
from linkwork.units import (
    ACCELERATION,
    ANGLE,
    ANGULAR_SPEED,
    AREA,
    CAPACITANCE,
    CHARGE,
    DAMPING,
    DENSITY,
    FORCE,
    FREQUENCY,
    INDUCTANCE,
    INERTIA,
    LEAD,
    LENGTH,
    MASS,
    NUMBER,
    POWER,
    PRESSURE,
    RESISTANCE,
    SI,
    SPEED,
    STIFFNESS,
    TIME,
    TORQUE,
    TORSIONAL_DAMPING,
    TORSIONAL_STIFFNESS,
    UNITS,
    VOLTAGE,
    Dimension,
    UnitSystem,
    format_quantity,
    parse_quantity,
    parse_unit,
)
from linkwork.units.dimensions import DIMENSION_NAMES
from linkwork.units.efforts import effort_units
from linkwork.units.table import ALIASES, PREFIXES, TAKES_PREFIX

registry = pint.UnitRegistry()
quick = settings(derandomize=True, deadline=None, max_examples=150)
named_dimensions = st.sampled_from(sorted(DIMENSION_NAMES, key=str))


# Exact answers


def test_electrical_units_are_the_same_whatever_the_length():
    for system in (SI, UnitSystem(length="mm", angle="deg"), UnitSystem(length="inch", mass="lb")):
        shown = [system.symbol(d) for d in (VOLTAGE, RESISTANCE, INDUCTANCE, CAPACITANCE, CHARGE)]
        assert shown == ["V", "ohm", "H", "F", "C"]
        assert [system.factor(d) for d in (VOLTAGE, RESISTANCE, INDUCTANCE, CAPACITANCE, CHARGE)] == [1.0] * 5
    assert parse_quantity("12 V", POWER / parse_unit("A")[1]) == 12.0
    assert parse_quantity("50 mV s/rad", TORQUE / parse_unit("A")[1] / ANGLE) == 0.05
    with pytest.raises(ModelError, match="'3 V' is a voltage; a resistance is wanted, such as '3 ohm'"):
        parse_quantity("3 V", RESISTANCE)


def test_constants_are_the_rows_of_the_table():
    for name, unit in UNITS.items():
        if name.isidentifier():
            assert getattr(lu, name) == unit.factor, name


def test_constants_that_people_know():
    assert (lu.mm, lu.inch, lu.ft, lu.g0, lu.lb) == (1e-3, 0.0254, 0.3048, 9.80665, 0.45359237)
    assert lu.deg == math.pi / 180
    assert lu.rpm == math.tau / 60
    assert lu.rev == lu.turn == math.tau


@pytest.mark.parametrize(
    ("text", "factor", "dimension"),
    [
        ("kg m^2", 1.0, INERTIA),
        ("kg*m**2", 1.0, INERTIA),
        ("kg·m²", 1.0, INERTIA),
        ("kg m2", 1.0, INERTIA),
        ("N*m/rad", 1.0, TORSIONAL_STIFFNESS),
        ("N m/deg", 180 / math.pi, TORSIONAL_STIFFNESS),
        ("m/s^2", 1.0, ACCELERATION),
        ("m s⁻²", 1.0, ACCELERATION),
        ("m/s/s", 1.0, ACCELERATION),
        ("mm/rev", 1e-3 / math.tau, LEAD),
        ("1/s", 1.0, FREQUENCY),
        ("N s/m", 1.0, DAMPING),
        ("N/(m/s)", 1.0, DAMPING),
        ("g/cm^3", 1000.0, DENSITY),
        ("°/s", math.pi / 180, ANGULAR_SPEED),
        ("kNm", 1e3, TORQUE),
        ("N mm", 1e-3, TORQUE),
        ("µm", 1e-6, LENGTH),
        ("μm", 1e-6, LENGTH),
        ("dam", 10.0, LENGTH),
        ("mrad", 1e-3, ANGLE),
        ("in^2", 0.0254**2, AREA),
        ("min", 60.0, TIME),
        ("N/mm^2", 1e6, PRESSURE),
        ("km/h", 1000 / 3600, SPEED),
        ("g0", 9.80665, ACCELERATION),
        ("%", 0.01, NUMBER),
        ("V", 1.0, VOLTAGE),
        ("mV s/rad", 1e-3, VOLTAGE * TIME / ANGLE),
        ("kohm", 1e3, RESISTANCE),
        ("V/A", 1.0, RESISTANCE),
        ("mH", 1e-3, INDUCTANCE),
        ("V s/A", 1.0, INDUCTANCE),
        ("uF", 1e-6, CAPACITANCE),
        ("A s", 1.0, CHARGE),
        ("mC", 1e-3, CHARGE),
        ("furlong", 201.168, LENGTH),
        ("gauge_unknown/s", None, None),
    ],
)
def test_unit_grammar(text, factor, dimension):
    if factor is None:
        with pytest.raises(ModelError):
            parse_unit(text)
        return
    found, found_dimension = parse_unit(text)
    assert found == pytest.approx(factor, rel=4e-6 if text == "furlong" else 1e-15)
    assert found_dimension == dimension


@pytest.mark.parametrize(
    ("value", "dimension", "expected"),
    [
        ("12.5 mm", LENGTH, 12.5 * lu.mm),
        ("12.5mm", LENGTH, 12.5 * lu.mm),
        ("-3e-2 in", LENGTH, -3e-2 * lu.inch),
        ("1/4 in", LENGTH, 0.25 * lu.inch),
        ("90°", ANGLE, 90 * lu.deg),
        ("90 deg", ANGLE, math.pi / 2),
        ("−5 mm", LENGTH, -5 * lu.mm),
        (" 3000 rpm ", ANGULAR_SPEED, 3000 * lu.rpm),
        ("10/s", FREQUENCY, 10.0),
        ("10 1/s", FREQUENCY, 10.0),
        ("5 N m", TORSIONAL_STIFFNESS, 5.0),
        ("5 %", NUMBER, 0.05),
        ("1e3", LENGTH, 1000.0),
        (7, MASS, 7.0),
        (np.float64(0.1), MASS, 0.1),
        (np.int64(3), MASS, 3.0),
        (Fraction(1, 4), MASS, 0.25),
    ],
)
def test_quantities(value, dimension, expected):
    found = parse_quantity(value, dimension)
    assert type(found) is float
    assert found == expected


MACHINE_SHOP = UnitSystem(length="mm", angle="deg", mass="g", force="N")


@pytest.mark.parametrize(
    ("dimension", "symbol", "factor"),
    [
        (LENGTH, "mm", 1e-3),
        (INERTIA, "g mm^2", 1e-9),
        (DENSITY, "g/mm^3", 1e6),
        (ACCELERATION, "mm/s^2", 1e-3),
        (FORCE, "N", 1.0),
        (TORQUE, "N mm", 1e-3),
        (STIFFNESS, "N/mm", 1e3),
        (PRESSURE, "N/mm^2", 1e6),
        (DAMPING, "N s/mm", 1e3),
        (TORSIONAL_STIFFNESS, "N mm/deg", 1e-3 * 180 / math.pi),
        (POWER, "N mm/s", 1e-3),
        (NUMBER, "", 1.0),
    ],
)
def test_bare_numbers_follow_the_header(dimension, symbol, factor):
    assert MACHINE_SHOP.symbol(dimension) == symbol
    assert MACHINE_SHOP.factor(dimension) == pytest.approx(factor, rel=1e-15)
    assert parse_quantity(2, dimension, MACHINE_SHOP) == pytest.approx(2 * factor, rel=1e-15)


@pytest.mark.parametrize(
    ("header", "force", "torque", "newtons"),
    [
        ({"length": "mm"}, "N", "N mm", 5.0),
        ({"length": "mm", "mass": "g", "time": "ms"}, "N", "N mm", 5.0),
        ({"length": "inch"}, "N", "N inch", 5.0),
        ({"length": "ft", "mass": "lb"}, "lbf", "lbf ft", 5 * 4.4482216152605),
        ({"length": "ft", "mass": "lbm"}, "lbf", "lbf ft", 5 * 4.4482216152605),
        ({"length": "inch", "mass": "slug"}, "lbf", "lbf inch", 5 * 4.4482216152605),
        ({"length": "mm", "mass": "lb", "force": "N"}, "N", "N mm", 5.0),
    ],
)
def test_a_bare_force_is_in_newtons_unless_the_header_says_otherwise(header, force, torque, newtons):
    system = UnitSystem.parse(header)
    assert (system.symbol(FORCE), system.symbol(TORQUE)) == (force, torque)
    assert parse_quantity(5, FORCE, system) == pytest.approx(newtons, rel=1e-15)
    assert effort_units(system).symbol(FORCE) == force


def test_si_symbols():
    names = {FORCE: "N", TORQUE: "N m", PRESSURE: "Pa", POWER: "W", DAMPING: "N s/m", INERTIA: "kg m^2"}
    names |= {TORSIONAL_DAMPING: "N m s/rad", FREQUENCY: "1/s", lu.TEMPERATURE / TIME: "K/s"}
    assert {d: SI.symbol(d) for d in names} == names
    assert all(SI.factor(d) == 1.0 for d in names)


@pytest.mark.parametrize(
    ("value", "dimension", "system", "text"),
    [
        (0.05, LENGTH, UnitSystem(length="mm"), "50 mm"),
        (math.pi, ANGLE, UnitSystem(angle="deg"), "180 deg"),
        (-0.0, MASS, SI, "0 kg"),
        (0.25, NUMBER, SI, "0.25"),
        (1 / 3, TIME, SI, "0.333333 s"),
        (math.nan, TIME, SI, "nan s"),
    ],
)
def test_format(value, dimension, system, text):
    assert format_quantity(value, dimension, system) == text


def test_dimension_algebra_and_names():
    assert MASS * LENGTH**2 == INERTIA
    assert str(TORQUE) == "torque or energy"
    assert str(LENGTH / TIME**3) == "length/time^3"
    assert str(NUMBER / TIME**3) == "1/time^3"
    assert hash(Dimension(length=1)) == hash(LENGTH)


def test_angle_may_be_missing_only_beside_mass():
    assert TORSIONAL_STIFFNESS.accepts(TORQUE)
    assert not TORQUE.accepts(TORSIONAL_STIFFNESS)
    assert not ANGULAR_SPEED.accepts(FREQUENCY)
    assert not LEAD.accepts(LENGTH)


# Messages


@pytest.mark.parametrize(
    ("value", "dimension", "message"),
    [
        ("3 m", MASS, "'3 m' is a length; a mass is wanted, such as '3 kg'"),
        ("3 kg", NUMBER, "'3 kg' is a mass; a plain number is wanted, such as '3'"),
        ("3 m", ANGLE, "'3 m' is a length; an angle is wanted, such as '3 rad'"),
        ("3 m/s^3", MASS, "'3 m/s^3' is a quantity of dimension length/time^3; a mass is wanted, such as '3 kg'"),
        ("3 1/s", ANGULAR_SPEED, "'3 1/s' is a frequency; an angular speed is wanted, such as '3 rad/s'"),
        (True, MASS, "true is not a quantity; a mass is wanted, such as '2.5 kg'"),
        (None, MASS, "nothing is given; a mass is wanted, such as '2.5 kg'"),
        ([1], MASS, "a list is not a quantity; a mass is wanted, such as '2.5 kg'"),
        ({}, MASS, "a table is not a quantity; a mass is wanted, such as '2.5 kg'"),
        (1j, MASS, "a complex is not a quantity; a mass is wanted, such as '2.5 kg'"),
        (math.nan, MASS, "nan is not a number; a mass is wanted, such as '2.5 kg'"),
        (math.inf, MASS, "inf is not finite; a mass is wanted, such as '2.5 kg'"),
        (10**400, MASS, "such a large integer is not finite; a mass is wanted, such as '2.5 kg'"),
        ("", MASS, "the text is empty; a mass is wanted, such as '2.5 kg'"),
        ("nan", MASS, "'nan' does not begin with a number; a mass is wanted, such as '2.5 kg'"),
        ("1/0 kg", MASS, "'1/0 kg' divides by zero; a mass is wanted, such as '2.5 kg'"),
        ("1,5 mm", LENGTH, "'1,5 mm' has a comma in its number; write a decimal point: '1.5 mm'"),
        ("1e308 km", LENGTH, "'1e308 km' is too large; numbers go up to about 1e308 in SI units"),
        ("1e999", LENGTH, "'1e999' is too large; numbers go up to about 1e308 in SI units"),
        ("3 MM", LENGTH, "'MM' is not a unit of mechanics; did you mean 'mm'? Upper and lower case differ"),
        ("3 Kg", MASS, "there is no unit 'Kg'; did you mean 'kg'? Upper and lower case differ"),
        ("3 milimeter", LENGTH, "there is no unit 'milimeter'; did you mean 'millimeter'?"),
        ("3 degC", ANGLE, "the scale of 'degC' has its own zero; it cannot be a factor; give a temperature in K"),
        ("3 dB", NUMBER, "the scale of 'dB' has its own zero; it cannot be a factor; give the value itself"),
        ("3 m^10", LENGTH, "cannot read the unit 'm^10': the power 10 is out of range; powers go from -9 to 9"),
        (
            "3 N/m s",
            DAMPING,
            "cannot read the unit 'N/m s': it is unclear whether '/' reaches to 's'; use brackets or a '*'",
        ),
    ],
)
def test_messages(value, dimension, message):
    with pytest.raises(ModelError) as caught:
        parse_quantity(value, dimension)
    assert str(caught.value) == message


WRONG_UNITS = [
    "",
    "  ",
    "m^",
    "m^x",
    "m^1.5",
    "m^999999",
    "m**",
    "(m",
    "m)",
    "()",
    "*m",
    "m*",
    "m//s",
    "2 m",
    "m 2",
    "m+s",
]
WRONG_UNITS += [
    "m^²",
    "٣",
    "m\0",
    "m!",
    "a" * 10**6,
    "a" * 60,
    "((km^9)^9)^9",
    "((pm^9)^9)^9",
    "1/((pm^9)^9)^9",
    "1^2",
    "_",
]


@pytest.mark.parametrize("text", WRONG_UNITS, ids=lambda text: repr(text[:20]))
def test_wrong_units_are_refused_at_once(text):
    start = time.perf_counter()
    with pytest.raises(ModelError):
        parse_unit(text)
    assert time.perf_counter() - start < 5.0  # the first unusual name loads pint


@pytest.mark.parametrize(
    "text",
    ["1" * 10**6, "3 " + "m" * 10**6, "٣ m", "1_0 m", "0x10 m", "3 m\0", "--3 m", "3 m; 4 m"],
    ids=lambda text: repr(text[:20]),
)
def test_hostile_quantities_are_refused_at_once(text):
    start = time.perf_counter()
    with pytest.raises(ModelError) as caught:
        parse_quantity(text, LENGTH)
    assert time.perf_counter() - start < 5.0
    assert len(str(caught.value)) < 300


def test_parse_unit_wants_text():
    with pytest.raises(ModelError, match="not the name of a unit"):
        parse_unit(["mm"])  # type: ignore[arg-type]


def test_header_reports_everything_at_once():
    with pytest.raises(ModelError) as caught:
        UnitSystem.parse(
            {"lenght": "mm", "mass": "mm", "time": 3, "angle": "dgr", "force": "", 7: "m", "length": "m/m*m"}
        )
    assert [p.where for p in caught.value.problems] == [
        "units",
        "units.mass",
        "units.time",
        "units.angle",
        "units.force",
        "units",
        "units.length",
    ]
    assert caught.value.problems[0].hint == "did you mean 'length'?"
    assert caught.value.problems[1].what == "'mm' is a length, not a mass"


@pytest.mark.parametrize("header", [None, "mm", ["mm"]])
def test_header_must_be_a_table(header):
    with pytest.raises(ModelError, match="units must be a table"):
        UnitSystem.parse(header)


def test_system_is_plain_data():
    assert UnitSystem.parse({}) == SI
    assert UnitSystem.parse({"length": "mm", "angle": "°"}).symbol(LENGTH / ANGLE) == "mm/°"
    assert hash(UnitSystem(length="mm")) == hash(UnitSystem(length="mm"))
    with pytest.raises(ModelError):
        UnitSystem(mass="m")


# Against pint

PINT_NAMES = {
    "Nm": "newton * meter",
    "Nmm": "newton * millimeter",
    "grad": "grade",
    "rev": "revolution",
    "%": "percent",
    "g0": "standard_gravity",
    "lbm": "pound",
}


def pint_reading(text):
    base = registry.Quantity(1.0, text).to_base_units()
    powers = {"meter": "length", "kilogram": "mass", "second": "time", "radian": "angle"}
    powers |= {"ampere": "current", "kelvin": "temperature"}
    return base.magnitude, Dimension(**{powers[name]: int(p) for name, p in base.unit_items()})


@pytest.mark.parametrize("name", [*UNITS, *ALIASES])
def test_every_unit_agrees_with_pint(name):
    factor, dimension = pint_reading(PINT_NAMES.get(name, name))
    found, found_dimension = parse_unit(name)
    assert found == pytest.approx(factor, rel=1e-14)
    assert found_dimension == dimension


@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_prefix_agrees_with_pint(prefix):
    for name in sorted(TAKES_PREFIX):
        text = prefix + name
        if text in UNITS or text in ALIASES:
            continue
        factor, dimension = pint_reading(prefix + "N * m" if name == "Nm" else text)
        found, found_dimension = parse_unit(text)
        assert (found, found_dimension) == (pytest.approx(factor, rel=1e-14), dimension), text


def test_prefixed_rows_of_the_table_agree_with_the_prefixes():
    for text in ["mm", "cm", "um", "km", "ms", "kg", "kN", "MPa", "GPa", "kW"]:
        assert UNITS[text].factor == PREFIXES[text[0]] * UNITS[text[1:]].factor


@pytest.mark.parametrize("name", ["furlong", "yard", "mile", "knot", "eV", "calorie", "stone", "arcsecond", "V", "ohm"])
def test_the_long_tail_comes_from_pint(name):
    assert parse_unit(name) == (pytest.approx(pint_reading(name)[0]), pint_reading(name)[1])


def test_common_units_need_no_pint():
    code = (
        "import sys; from linkwork.units import *; parse_quantity('12 mm', LENGTH); parse_unit('kN m/deg'); "
        "assert not {'pint', 'numpy', 'casadi'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# Any text, any number


@quick
@given(st.one_of(st.text(max_size=80), st.text("m skgN*/^²()1-° _", max_size=30)))
@example("(" * 64)
def test_any_text_gives_a_unit_or_a_model_error(text):
    try:
        factor, _ = parse_unit(text)
    except ModelError:
        return
    assert math.isfinite(factor)
    assert factor > 0


@quick
@given(st.from_regex("[A-Za-z_]{1,5}", fullmatch=True))
def test_any_name_gives_a_unit_or_a_model_error(name):
    try:
        assert parse_unit(name)[0] > 0
    except ModelError as error:
        assert error.problems[0].hint


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=40), st.lists(st.integers())
)


@quick
@given(anything, named_dimensions)
def test_any_value_gives_a_finite_float_or_a_model_error(value, dimension):
    try:
        found = parse_quantity(value, dimension, MACHINE_SHOP)
    except ModelError:
        return
    assert math.isfinite(found)


finite = st.floats(allow_nan=False, allow_infinity=False)


@quick
@given(finite, named_dimensions)
def test_bare_numbers_in_si_are_unchanged(number, dimension):
    for value in (number, repr(number), f"{number!r} {SI.symbol(dimension)}"):
        found = parse_quantity(value, dimension)
        assert math.copysign(1.0, found) == math.copysign(1.0, number)
        assert found == number


@quick
@given(st.floats(-1e200, 1e200), st.sampled_from(sorted(set(UNITS) - {"%", "g0"})), st.sampled_from(["", " ", "  "]))
def test_text_is_the_product_of_number_and_constant(number, name, gap):
    assert parse_quantity(f"{number!r}{gap}{name}", UNITS[name].dimension) == number * getattr(lu, name)


systems = st.builds(
    UnitSystem,
    length=st.sampled_from(["m", "mm", "inch", "in", "ft"]),
    mass=st.sampled_from(["kg", "g", "lb", "slug"]),
    time=st.sampled_from(["s", "ms", "minute"]),
    angle=st.sampled_from(["rad", "deg", "rev", "°"]),
    force=st.sampled_from(["", "N", "kN", "lbf"]),
)


@quick
@given(systems, named_dimensions, st.floats(1e-6, 1e6))
def test_what_is_written_is_read_back(system, dimension, number):
    if dimension != NUMBER:
        assert parse_unit(system.symbol(dimension)) == (system.factor(dimension), dimension)
    assert parse_quantity(number, dimension, system) == parse_quantity(
        f"{number!r} {system.symbol(dimension)}", dimension
    )
    text = format_quantity(number, dimension, system, digits=17)
    assert parse_quantity(text, dimension) == pytest.approx(number, rel=1e-14)


@quick
@given(systems)
def test_derived_units_hang_together(system):
    assert system.factor(TORQUE) == pytest.approx(system.factor(FORCE) * system.factor(LENGTH), rel=1e-14)
    assert system.factor(DAMPING) == pytest.approx(system.factor(FORCE) / system.factor(SPEED), rel=1e-14)
    assert system.factor(INERTIA) == pytest.approx(system.factor(MASS) * system.factor(LENGTH) ** 2, rel=1e-14)
    assert system.factor(STIFFNESS) == pytest.approx(system.factor(FORCE) / system.factor(LENGTH), rel=1e-14)
    if not system.force:
        assert system.factor(FORCE) == (lu.lbf if system.mass in ("lb", "slug") else 1.0)


@pytest.mark.parametrize(("unit", "hint"), [("gr", "g (gram) or grain"), ("k", ""), ("c", "")])
def test_names_that_mislead_are_refused(unit: str, hint: str) -> None:
    with pytest.raises(ModelError) as caught:
        parse_unit(unit)
    assert hint in caught.value.problems[0].hint
