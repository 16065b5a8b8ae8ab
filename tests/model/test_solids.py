"""Solids: moments against quadrature, textbook formulas and meshes; sums, differences, placement, bad sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from laws import close, quaternion

import linkwork as lw
from linkwork import geometry as geo
from linkwork.errors import ModelError
from linkwork.model.bodies import Body, MassProperties, mass_properties
from linkwork.model.placement import Placement, placement
from linkwork.model.solids import (
    SHAPES,
    Box,
    Compound,
    Cone,
    Cylinder,
    MeshSolid,
    RingSector,
    Shape,
    Solid,
    Sphere,
    Tube,
    mass_moments,
    parts_of,
)

quick = settings(max_examples=30, deadline=None, derandomize=True)

BOX = Box(size=(0.3, 0.5, 0.2))
CYLINDER = Cylinder(radius=0.2, length=0.7)
TUBE = Tube(outer=0.3, inner=0.25, length=0.4)
SPHERE = Sphere(radius=0.35)
CONE = Cone(radius=0.3, length=0.8)
FRUSTUM = Cone(radius=0.3, length=0.8, top=0.1)
FUNNEL = Cone(radius=0.1, length=0.8, top=0.4)
SECTOR = RingSector(outer=0.5, inner=0.2, angle=math.radians(100), length=0.1)
PIE = RingSector(outer=0.5, inner=0.0, angle=math.radians(300), length=0.1)
ALL = {
    "box": BOX,
    "cylinder": CYLINDER,
    "tube": TUBE,
    "sphere": SPHERE,
    "cone": CONE,
    "frustum": FRUSTUM,
    "funnel": FUNNEL,
    "sector": SECTOR,
    "pie": PIE,
}


def properties(solid: Solid, density: float = 1.0) -> MassProperties:
    return mass_properties(Body("b", solid=solid, density=density))


def random_placement(seed: int) -> Placement:
    rng = np.random.default_rng(seed)
    return placement(rng.uniform(-1, 1, 3), quaternion=quaternion(rng))


# --- quadrature: exact for polynomials, to the last digit for sines --------------------------------------------------

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)
NODES, WEIGHTS = (NODES + 1) / 2, WEIGHTS / 2
Map = Callable[[Any, Any, Any], tuple[Any, Any, Any, Any]]


def round_map(low: Callable[[Any], Any], high: Callable[[Any], Any], z0: float, z1: float, a: float) -> Map:
    """Cylinder coordinates between the radii low(z) and high(z), angles -a to a: x, y, z and the volume element."""

    def mapping(p: Any, q: Any, s: Any) -> tuple[Any, Any, Any, Any]:
        z = z0 + (z1 - z0) * s
        r = low(z) + (high(z) - low(z)) * p
        angle = a * (2 * q - 1)
        return r * np.cos(angle), r * np.sin(angle), z + 0 * r, r * (high(z) - low(z)) * 2 * a * (z1 - z0)

    return mapping


def box_map(p: Any, q: Any, s: Any) -> tuple[Any, Any, Any, Any]:
    a, b, c = BOX.size
    return (p - 0.5) * a + 0 * q, (q - 0.5) * b + 0 * p, (s - 0.5) * c + 0 * p, a * b * c


def ball_map(p: Any, q: Any, s: Any) -> tuple[Any, Any, Any, Any]:
    r, polar, angle = SPHERE.radius * p, np.pi * q, 2 * np.pi * s
    element = r**2 * np.sin(polar) * SPHERE.radius * np.pi * 2 * np.pi
    return r * np.sin(polar) * np.cos(angle), r * np.sin(polar) * np.sin(angle), r * np.cos(polar), element


def constant(value: float) -> Callable[[Any], Any]:
    return lambda z: value + 0 * z


def slanted(cone: Cone) -> Callable[[Any], Any]:
    return lambda z: cone.radius + (cone.top - cone.radius) * z / cone.length


NOTHING = constant(0.0)
MAPS: dict[str, Map] = {
    "box": box_map,
    "cylinder": round_map(NOTHING, constant(0.2), -0.35, 0.35, np.pi),
    "tube": round_map(constant(0.25), constant(0.3), -0.2, 0.2, np.pi),
    "sphere": ball_map,
    "cone": round_map(NOTHING, slanted(CONE), 0.0, 0.8, np.pi),
    "frustum": round_map(NOTHING, slanted(FRUSTUM), 0.0, 0.8, np.pi),
    "funnel": round_map(NOTHING, slanted(FUNNEL), 0.0, 0.8, np.pi),
    "sector": round_map(constant(0.2), constant(0.5), -0.05, 0.05, math.radians(50)),
    "pie": round_map(NOTHING, constant(0.5), -0.05, 0.05, math.radians(150)),
}


@pytest.mark.parametrize("name", ALL)
def test_moments_against_quadrature(name: str) -> None:
    p, q, s = np.meshgrid(NODES, NODES, NODES, indexing="ij")
    x, y, z, element = np.broadcast_arrays(*MAPS[name](p, q, s), p)[:4]
    weight = element * np.einsum("i,j,k->ijk", WEIGHTS, WEIGHTS, WEIGHTS)
    h = np.stack([x, y, z, np.ones_like(x)])
    exact = np.einsum("aijk,bijk,ijk->ab", h, h, weight)
    close(ALL[name].moments(), exact, 1e-15 + 1e-13 * exact[3, 3])


def test_every_shape_is_tested() -> None:
    assert {type(s) for s in ALL.values()} == set(SHAPES.values())


# --- textbook formulas ------------------------------------------------------------------------------------------------


def test_textbook_inertias() -> None:
    a, b, c = BOX.size
    found = properties(BOX, 1000.0)
    mass = 1000 * a * b * c
    close(found.mass, mass)
    close(found.inertia, mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b]))

    r, h = 0.2, 0.7
    found = properties(CYLINDER, 7850.0)
    mass = 7850 * math.pi * r * r * h
    across = mass * (3 * r * r + h * h) / 12
    close(found.inertia, np.diag([across, across, mass * r * r / 2]), 1e-11)

    found = properties(SPHERE, 7850.0)
    close(found.inertia, 0.4 * found.mass * 0.35**2 * np.eye(3), 1e-11)

    found = properties(CONE)
    mass = math.pi * 0.3**2 * 0.8 / 3
    close(found.mass, mass)
    close(found.com, [0, 0, 0.2])
    close(found.inertia[2, 2], 0.3 * mass * 0.3**2, 1e-15)
    close(found.inertia[0, 0], mass * (3 / 20 * 0.3**2 + 3 / 80 * 0.8**2), 1e-15)


def test_a_half_ring_has_its_centre_at_the_known_place() -> None:
    half = RingSector(outer=0.5, inner=0.0, angle=math.pi, length=0.1)
    close(properties(half).com, [4 * 0.5 / (3 * math.pi), 0.0, 0.0], 1e-15)


def test_a_disk_in_turned_axes() -> None:
    # A thin disk, axes n1 = (√3/2, 1/2, 0), n2 = (-√2/4, √6/4, √2/2), n3 = n1 × n2; inertia over m R².
    n1 = np.array([math.sqrt(3) / 2, 0.5, 0.0])
    n2 = np.array([-math.sqrt(2) / 4, math.sqrt(6) / 4, math.sqrt(2) / 2])
    turn = np.column_stack([n1, n2, np.cross(n1, n2)])
    R, thin = 0.4, 1e-7
    found = properties(Cylinder(radius=R, length=thin, frame=placement(matrix=turn)))
    wanted = [[0.28125, -0.05412658773652741, 0.0625], [0, 0.34375, -0.10825317547305482], [0, 0, 0.375]]
    upper = np.triu(wanted)
    close(found.inertia / found.mass / R**2, upper + np.triu(upper, 1).T, 1e-12)


# --- meshes -----------------------------------------------------------------------------------------------------------


def mesh_moments(mesh: trimesh.Trimesh) -> np.ndarray:
    """∫ h hᵀ dV of a closed mesh from its volume, centre and central inertia of density 1."""
    mesh.density = 1.0
    volume, com, inertia = mesh.volume, mesh.center_mass, mesh.moment_inertia
    moments = np.zeros((4, 4))
    moments[:3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia + volume * np.outer(com, com)
    moments[:3, 3] = moments[3, :3] = volume * com
    moments[3, 3] = volume
    return moments


def test_a_box_against_its_mesh() -> None:
    frame = random_placement(3)
    box = Box(size=(0.3, 0.5, 0.2), frame=frame)
    mesh = trimesh.creation.box(extents=box.size, transform=frame.pose())
    close(box.moments(), mesh_moments(mesh), 1e-15)


ROUND = {
    "cylinder": (CYLINDER, lambda n: trimesh.creation.cylinder(radius=0.2, height=0.7, sections=n)),
    "tube": (TUBE, lambda n: trimesh.creation.annulus(r_min=0.25, r_max=0.3, height=0.4, sections=n)),
    "cone": (CONE, lambda n: trimesh.creation.cone(radius=0.3, height=0.8, sections=n)),
    "sphere": (SPHERE, lambda n: trimesh.creation.uv_sphere(radius=0.35, count=[n, n])),
}


@pytest.mark.parametrize("name", ROUND)
def test_round_shapes_against_fine_meshes(name: str) -> None:
    # A chord of 2π/n cuts a share of order (π/n)² off, so halving it leaves a quarter of the error.
    solid, make = ROUND[name]
    exact = solid.moments()
    errors = [np.max(np.abs(mesh_moments(make(n)) - exact)) / exact[3, 3] for n in (64, 128)]
    assert errors[1] < 2 * (math.pi / 128) ** 2
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_mesh_solid_keeps_its_integrals() -> None:
    integrals = tuple(float(v) for v in BOX.local_moments().ravel())
    mesh = MeshSolid(path="box.stl", scale=1.0, integrals=integrals, frame=random_placement(5), density=2.0)
    box = Box(size=BOX.size, frame=random_placement(5), density=2.0)
    close(mass_moments(mesh, None), mass_moments(box, None), 1e-16)


# --- sums and differences ---------------------------------------------------------------------------------------------


def test_a_tube_is_a_cylinder_without_its_core() -> None:
    cut = Cylinder(radius=0.3, length=0.4) - Cylinder(radius=0.25, length=0.4)
    close(mass_moments(cut, 1.0), TUBE.moments(), 1e-16)


def test_a_full_ring_is_a_tube_and_two_halves_are_a_ring() -> None:
    full = RingSector(outer=0.3, inner=0.25, angle=2 * math.pi, length=0.4)
    close(full.moments(), TUBE.moments(), 1e-17)
    half = RingSector(outer=0.3, inner=0.25, angle=math.pi, length=0.4)
    other = RingSector(outer=0.3, inner=0.25, angle=math.pi, length=0.4, frame=placement(rpy=(0, 0, math.pi)))
    close(mass_moments(half + other, 1.0), TUBE.moments(), 1e-16)


def test_a_shell_of_two_spheres() -> None:
    shell = properties(Sphere(radius=0.5) - Sphere(radius=0.4), 1000.0)
    mass = 4000 / 3 * math.pi * (0.5**3 - 0.4**3)
    close(shell.mass, mass, 1e-11)
    close(shell.inertia, 0.4 * mass * (0.5**5 - 0.4**5) / (0.5**3 - 0.4**3) * np.eye(3), 1e-11)


def test_a_frustum_is_a_cone_without_its_tip() -> None:
    tip = Cone(radius=0.1, length=0.4, frame=placement((0, 0, 0.8)))
    whole = Cone(radius=0.3, length=1.2)
    close(mass_moments(whole - tip, 1.0), FRUSTUM.moments(), 1e-16)
    upside_down = Cone(radius=0.1, length=0.8, top=0.3, frame=placement((0, 0, 0.8), rpy=(math.pi, 0, 0)))
    close(upside_down.moments(), FRUSTUM.moments(), 1e-16)


def test_a_box_of_eight_boxes() -> None:
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    small = [Box(size=(0.15, 0.25, 0.1), frame=placement((x * 0.075, y * 0.125, z * 0.05))) for x, y, z in corners]
    whole: Solid = small[0]
    for part in small[1:]:
        whole = whole + part
    close(mass_moments(whole, 1.0), BOX.moments(), 1e-17)


def test_signs_of_nested_sums_and_differences() -> None:
    a, b, c = (Sphere(radius=r) for r in (0.5, 0.2, 0.1))
    assert isinstance(a - b, Compound)
    assert [s for s, _ in parts_of(a - (b - c))] == [1, -1, 1]
    assert [s for s, _ in parts_of((a - b) - c)] == [1, -1, -1]
    assert [s for s, _ in parts_of(a + (b - c))] == [1, 1, -1]


def test_a_part_may_have_its_own_density() -> None:
    steel = Cylinder(radius=0.1, length=0.2, density=7850.0)
    found = properties(BOX + steel, 1000.0)
    assert found.mass == pytest.approx(30.0 + 7850 * math.pi * 0.01 * 0.2, rel=1e-14)


def test_the_order_of_parts_does_not_matter() -> None:
    parts = [type(s)(**{**vars(s), "frame": random_placement(i)}) for i, s in enumerate(ALL.values())]
    forward, backward = Compound(tuple((1, s) for s in parts)), Compound(tuple((1, s) for s in parts[::-1]))
    close(mass_moments(forward, 2.0), mass_moments(backward, 2.0), 1e-15)


# --- placement --------------------------------------------------------------------------------------------------------


@quick
@given(st.integers(0, 10_000), st.sampled_from(sorted(ALL)))
def test_moving_a_solid_moves_its_centre_and_turns_its_inertia(seed: int, name: str) -> None:
    solid = ALL[name]
    frame = random_placement(seed)
    X = frame.pose()
    moved = properties(type(solid)(**{**vars(solid), "frame": frame}), 500.0)
    still = properties(solid, 500.0)
    R = X[:3, :3]
    assert moved.mass == still.mass
    close(moved.com, R @ still.com + X[:3, 3], 1e-13)
    close(moved.inertia, R @ still.inertia @ R.T, 1e-12 * still.mass)


@quick
@given(st.integers(0, 10_000))
def test_the_parallel_axis_theorem(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = [Box(size=tuple(rng.uniform(0.1, 1, 3)), frame=random_placement(seed + i)) for i in range(3)]
    together = properties(shapes[0] + shapes[1] + shapes[2], 300.0)
    single = [properties(s, 300.0) for s in shapes]
    mass = sum(p.mass for p in single)
    com = sum(p.mass * p.com for p in single) / mass
    inertia = np.zeros((3, 3))
    for p in single:
        d = p.com - com
        inertia += p.inertia + p.mass * (d @ d * np.eye(3) - np.outer(d, d))
    close(together.mass, mass, 1e-12 * mass)
    close(together.com, com, 1e-13)
    close(together.inertia, inertia, 1e-12 * mass)


# --- bad sizes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box(size=(1, 0, 1)), "box: 0 is not a positive size"),
        (lambda: Box(size=(1, -2, 1)), "box: -2 is not a positive size"),
        (lambda: Box(size=(1, 2)), "3 numbers are wanted, 2 are given"),
        (lambda: Box(size=(1, 2, math.nan)), "not finite"),
        (lambda: Box(size=7), "is not a list of numbers"),
        (lambda: Cylinder(radius=0.0, length=1.0), "cylinder: 0 is not a positive radius"),
        (lambda: Cylinder(radius=1.0, length=math.inf), "inf is not finite"),
        (lambda: Cylinder(radius="1", length=1.0), "is not a number"),
        (lambda: Tube(outer=1.0, inner=1.0, length=1.0), "the inner radius 1 is not smaller than the outer 1"),
        (lambda: Tube(outer=1.0, inner=0.0, length=1.0), "0 is not a positive inner"),
        (lambda: Sphere(radius=-1.0), "-1 is not a positive radius"),
        (lambda: Cone(radius=1.0, length=1.0, top=-0.1), "-0.1 is not a radius of the top"),
        (lambda: Cone(radius=1.0, length=1.0, top=math.nan), "nan is not a radius of the top"),
        (lambda: RingSector(outer=1.0, inner=0.5, angle=7.0, length=1.0), "more than a full ring"),
        (lambda: RingSector(outer=1.0, inner=-0.5, angle=1.0, length=1.0), "-0.5 is not an inner radius"),
        (lambda: RingSector(outer=1.0, inner=1.5, angle=1.0, length=1.0), "not smaller than the outer"),
        (lambda: RingSector(outer=1.0, inner=0.5, angle=0.0, length=1.0), "0 is not a positive angle"),
        (lambda: Sphere(radius=1.0, density=0.0), "0 is not a positive density"),
        (lambda: Sphere(radius=1.0, density=math.inf), "inf is not finite"),
        (lambda: Sphere(radius=1.0, frame=placement(within="arm")), "its frame is given in 'arm'"),
        (lambda: parts_of("ball"), "'ball' is not a solid"),  # type: ignore[arg-type]
        (lambda: mass_moments(SPHERE, None), "the sphere has no density"),
    ],
)
def test_bad_sizes(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def test_sizes_are_taken_by_name_only() -> None:
    with pytest.raises(TypeError):
        Sphere(1.0)  # type: ignore[misc]
    with pytest.raises(TypeError):
        Sphere(radius=1.0, diameter=2.0)  # type: ignore[call-arg]


def test_more_cut_out_than_there_is() -> None:
    with pytest.raises(ModelError, match="the solids add up to"):
        properties(Sphere(radius=0.1) - Sphere(radius=0.2))


def test_boxes_are_values() -> None:
    assert Box(size=[1, 2, 3]) == Box(size=(1.0, 2.0, 3.0))  # type: ignore[arg-type]
    assert hash(Box(size=np.array([1.0, 2.0, 3.0]))) == hash(Box(size=(1.0, 2.0, 3.0)))  # type: ignore[arg-type]
    assert lw.Box is Box
    assert issubclass(Box, Shape)
    assert geo.is_pose(BOX.frame.pose())
