"""Every mechanism of the gallery assembles and moves through its range, joint by joint."""

import numpy as np
import pytest

import linkwork as lw

MOVED = {
    "bevel-differential": 2, "delta": 3, "double-pendulum": 2, "excavator-arm": 4, "five-bar": 2, "humanoid-leg": 6,
    "iiwa14": 7, "palletiser": 4, "panda": 7, "planar-3rpr": 3, "planetary-set": 2, "polishing-arm": 2, "ur5e": 6,
    "puma-560": 6, "puma-560-craig": 6, "rssr": 2, "scara": 4, "stanford-arm": 6, "stewart-platform": 6, "free-box": 6,
}  # fmt: skip
"""Mobility where it is not 1."""
LIMITED = {
    "delta": None,
    "bricard": (-np.pi / 6, 7 * np.pi / 6),  # by symmetry of the threefold linkage
    "peaucellier": None,
    "planar-3rpr": None,
    "polishing-arm": None,
    "rccc": None,
    "seam-welder": (-np.arcsin(60 / 400), np.arcsin(60 / 400)),  # the arm points along a tangent of the seam
    "stewart-platform": None,
}
"""Where the first independent variable has limits: in closed form, where there is one."""


@pytest.mark.parametrize("name", lw.examples())
def test_mobility(name):
    s = lw.example(name).assemble()
    assert s.home.mobility == MOVED.get(name, 1)
    assert s.home.mobility == lw.check(lw.example(name)).mobility.mobility
    assert len(s.home.independent) == s.home.mobility
    assert s.home.residual < 1e-12


@pytest.mark.parametrize("name", [n for n in lw.examples() if n not in ("free-box", "n-four-bar")])
def test_every_machine_moves_through_its_range(name):
    s = lw.example(name).assemble()
    variable = s.home.independent[0]
    travel = s.travel(variable)
    limited = np.isfinite(travel.lower) and not travel.full_turn
    assert limited == (name in LIMITED)
    if limited:
        assert all(isinstance(stop, lw.LimitOfTravel) for stop in travel.stops)
        if LIMITED[name]:
            np.testing.assert_allclose((travel.lower, travel.upper), LIMITED[name], atol=1e-9)
        way = 1e-2 * (travel.upper - travel.lower)  # the cylinders of RCCC run to infinity at its limit
        drive = lw.ramp(travel.lower + way, travel.upper - way, duration=2.0)
    else:
        start = s.home[variable]
        drive = lw.ramp(start, start + 2 * np.pi, duration=2.0)
    run = s.motion({variable: drive}, samples=401)
    assert run.status == "complete" and all("beyond its limits" in text for text in run.warnings)
    if s.topology.n_loops:
        assert run.evidence.worst_residual < 1e-10
    t = np.asarray(run.time)
    for other in s.variables:
        if f"{other}.rate" in run.data and not limited:  # near a limit the rates have no bound
            values, rates = (np.asarray(run.data[n].values) for n in (other, f"{other}.rate"))
            wrong = np.abs(_slopes(t, values) - rates)[3:-3] / max(1e-3, np.abs(rates).max())
            if "cam" in name:  # where pieces of the curve meet, its higher derivatives jump
                wrong = np.sort(wrong)[: int(0.95 * wrong.size)]
            assert wrong.max() < 2e-6, other


def _slopes(t, x):
    """Sixth-order central differences."""
    h = t[1] - t[0]
    result = np.full_like(x, np.nan)
    result[3:-3] = (45 * (x[4:-2] - x[2:-4]) - 9 * (x[5:-1] - x[1:-5]) + (x[6:] - x[:-6])) / (60 * h)
    return result


@pytest.mark.parametrize("way", [2 * np.pi, -2 * np.pi])
def test_the_chain_of_forty_passes_its_singular_postures(way):
    """All uprights stay parallel through the two postures in which all links lie in a row and mobility jumps to 41."""
    s = lw.example("n-four-bar").assemble()
    run = s.motion(A0=lw.ramp(0.0, way), samples=361)
    assert run.status == "complete"
    uprights = np.stack([np.asarray(run.data[f"A{k}.angle"].values) for k in range(41)])
    np.testing.assert_allclose(uprights, np.tile(uprights[0], (41, 1)), atol=1e-8)
    rates = np.stack([np.asarray(run.data[f"A{k}.angle.rate"].values) for k in range(41)])
    np.testing.assert_allclose(rates, way, atol=1e-6)
    mobility = np.asarray(run.data["closure.mobility"].values)
    assert mobility[[90, 270]].tolist() == [41, 41] and np.delete(mobility, [90, 270]).max() == 1
    assert "singular posture at sample 90, 270" in run.warnings[0]
