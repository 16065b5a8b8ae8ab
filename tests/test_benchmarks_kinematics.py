"""The benchmark of closed loops compares like with like: every solution gives the same postures and rates."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
kinematics, loops = importlib.import_module("kinematics"), importlib.import_module("closed_loops")

PINNED = pytest.mark.skipif(not loops.Pinocchio.available(), reason="Pinocchio 4 is not installed")
TIGHT = 1e-11
LEGS = [f"P{i}.slide" for i in range(1, 7)]


@pytest.fixture(scope="module")
def four_bar():
    return lw.example("four-bar").assemble()


@pytest.fixture(scope="module")
def rssr():
    return lw.example("rssr").assemble()


@pytest.fixture(scope="module")
def stewart():
    return lw.example("stewart-platform").assemble()


@pytest.mark.parametrize("way", ["closed_form", "rooted"])
def test_four_bar_by_hand(four_bar, way):
    x = four_bar.home["O2"] + np.linspace(0.0, 2.0 * np.pi, 73)
    names = ("O2.angle", "A.angle", "B.angle", "O4.angle")
    ours = kinematics.sampled(four_bar.solve({"O2": x}, {"O2": 1.3}), names, names)
    assert kinematics.difference(ours, getattr(loops.FourBar(), way)(x, 1.3)) < TIGHT


def test_four_bar_by_hand_with_an_accelerating_crank(four_bar):
    x = four_bar.home["O2"] + np.linspace(0.0, 2.0, 9)
    names = ("O2.angle", "A.angle", "B.angle", "O4.angle")
    ours = kinematics.sampled(four_bar.solve({"O2": x}, {"O2": 1.3}, {"O2": -0.7}), names, names)
    assert kinematics.difference(ours, loops.FourBar().closed_form(x, 1.3, -0.7)) < TIGHT


def test_rssr_by_hand(rssr):
    x = np.linspace(-1.5, 1.5, 61)
    names = ("A.angle", "D.angle")
    ours = kinematics.sampled(rssr.solve({"A": x}, {"A": 1.3}, {"A": 0.4}), names, names)
    assert kinematics.difference(ours, loops.Rssr().closed_form(x, 1.3, 0.4)) < TIGHT


def test_stewart_by_newton_in_numpy(stewart):
    lengths = np.array([stewart.home[n] for n in LEGS]) + np.random.default_rng(1).uniform(-0.05, 0.05, (20, 6))
    rates = np.linspace(-0.2, 0.3, 6)
    ours = stewart.solve(dict(zip(LEGS, lengths.T, strict=True)), dict(zip(LEGS, rates, strict=True)), path=False)
    theirs = loops.Stewart.of(stewart).newton(lengths, rates)
    assert kinematics.difference(kinematics.moved(stewart, ours), theirs) < TIGHT


@PINNED
@pytest.mark.parametrize("path", [False, True])
@pytest.mark.parametrize("name", ["four_bar", "rssr", "stewart"])
def test_pinocchio_closes_the_same_loops(name, path, request):
    machine = request.getfixturevalue(name)
    driven = {"four_bar": ["O2.angle"], "rssr": ["A.angle"], "stewart": LEGS}[name]
    # the rod of an RSSR spins as it likes, so that only crank and rocker can be compared
    names = ["A.angle", "D.angle"] if name == "rssr" else [n for n in machine.coordinates if n in machine.rates]
    U = np.array([machine.home[n] for n in driven]) + np.linspace(0.0, 0.1, 8)[:, None]
    peer = loops.Pinocchio(machine, driven, ["B.wx"] if name == "rssr" else [])
    Q, V, A, steps = peer.solve(U, np.full(len(driven), 1.3), path)
    ours = machine.solve(dict(zip(driven, U.T, strict=True)), dict.fromkeys(driven, 1.3), path=path)
    places, columns = [machine.coordinates.index(n) for n in names], [machine.rates.index(n) for n in names]
    found = Q[:, places], V[:, columns], A[:, columns]
    assert kinematics.difference(kinematics.sampled(ours, names, names), found) < 1e-10
    assert 1 <= steps <= 6
    peer.calls(peer.home, 2)
    peer.calls(peer.home, 2, empty=True)


@PINNED
def test_open_chain_moves_alike():
    peers = kinematics.peers
    subject = kinematics.Subject(peers.puma6())
    kernel = subject.system.bound_kernel(kinematics.Question(kinematics.QUANTITIES["motion"]))
    order = [list(subject.system.plan.index).index(f"B{i}") for i in range(6)]
    samples = subject.machine.samples(5)
    ours = tuple(block[:, order] for block in kernel(*samples))
    assert kinematics.difference(ours, kinematics.placed(peers.Pinocchio(subject.machine), *samples)) < TIGHT


def test_who_differs_is_not_timed():
    candidates = [
        kinematics.Candidate("right", 1, lambda: None, 0.0),
        kinematics.Candidate("wrong", 1, lambda: None, 1e-3),
        kinematics.Candidate("missing", 1, lambda: None, kinematics.difference([np.array([np.nan])], [np.ones(1)])),
    ]
    table = kinematics.timed("nothing", "right", candidates, kinematics.Clock(1, 0.0))
    assert [row.time is None for row in table.rows] == [False, True, True]
    assert "not timed" in table.text()


def test_exponents():
    sizes = [10, 30, 100, 300]
    assert kinematics.exponent(sizes, [3.0 * n**1.1 for n in sizes]) == pytest.approx(1.1)
