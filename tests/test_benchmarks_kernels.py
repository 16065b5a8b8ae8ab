"""The benchmark compares like with like: every library gives the same answers on the same machine."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
kernels, peers = importlib.import_module("kernels"), importlib.import_module("peers")

MIXED = peers.Machine("mixed6", peers.tree20().links[:6])
"""A free base, a pin, a Hooke's joint, a ball, a pin, a sleeve."""


@pytest.mark.parametrize("peer", peers.available(), ids=lambda p: p.name)
@pytest.mark.parametrize("machine", [peers.chain(3), MIXED], ids=lambda m: m.name)
def test_equal_answers(machine, peer):
    subject, library = kernels.Subject(machine), peer(machine)
    samples = machine.samples(4)
    for quantity in library.quantities:
        found = kernels.difference(subject.answers(quantity, *samples), library.answers(quantity, *samples))
        assert found < 1e-11, quantity


def test_the_timed_model_of_pinocchio_is_the_same_machine():
    pin = pytest.importorskip("pinocchio")
    machine = peers.tree20()
    library = peers.Pinocchio(machine)
    q, v, a = (x[0] for x in machine.samples(1))
    q[3:7] = 1.0, 0.0, 0.0, 0.0  # the base stands straight: its own axes are the world's
    own = a.copy()
    own[:3] -= np.cross(v[3:6], v[:3])  # rates along turning axes
    native = pin.rnea(library.timed, library.timed.createData(), q[library.order], v, own)
    np.testing.assert_allclose(native, library.answers("id", q[None], v[None], a[None])[0][0], rtol=1e-10, atol=1e-10)


def test_ways_to_run_a_kernel_agree_to_the_bit():
    machine = peers.chain(3)
    subject = kernels.Subject(machine)
    for quantity in kernels.QUANTITIES:
        subject.assert_same_bits(quantity, *machine.samples(9))


def test_coordinates_come_in_the_order_of_the_links():
    machine = peers.tree20()
    system = kernels.Subject(machine).system
    assert list(dict.fromkeys(name.split(".")[0] for name in system.coordinates)) == [f"J{i}" for i in range(20)]
    assert (system.nq, system.nv) == (machine.nq, machine.nv)
