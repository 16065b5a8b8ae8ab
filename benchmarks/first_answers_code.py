"""What the processes of `first_answers.py` run: short programs that tell what each of their parts takes."""

from __future__ import annotations

import linkwork as lw

MARK = "answered: "
PEERS = {"MuJoCo": 1300, "Pinocchio": 300}
"""Most bodies of a machine that a peer is asked for: Pinocchio's time for a model grows with their square."""
TURN = 0.02
"""By how much drives move [rad, m]."""
BEGIN = f"""
import json, subprocess, sys, time
laps = {{}}
last = [0.0, time.perf_counter() - time.process_time()]
def lap(name=None):
    global last
    now = [time.process_time(), time.perf_counter()]
    if name:
        laps[name] = [a - b for a, b in zip(now, last)]
    last = now
def answer():
    print({MARK!r} + json.dumps(laps), flush=True)
"""
LINKWORK = (
    BEGIN
    + """
helpers = []
class Helper(subprocess.Popen):  # who compiles loops in the background works meanwhile, and stops with this process
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        helpers.append(self)
subprocess.Popen = Helper
import linkwork as lw
from linkwork.files import generators
lap("import")
"""
)
END = """
answer()
for helper in helpers:
    helper.terminate()
    helper.wait()
"""
MACHINES = {
    "chain": "generators.chain({n})",
    "four-bars": "generators.n_four_bar({n})",
    "track": "__import__('large_machines').track({n})",
    "net": "__import__('large_machines').net({n})",
}


def simulated(name: str) -> str:
    """A machine of the gallery is let go for a second."""
    asked = 'lap("assemble")\nmachine.simulate(1.0, start={"A": 0.5})\nlap("simulate")'
    return f"{LINKWORK}machine = lw.example({name!r}).assemble()\n{asked}{END}"


def stepped(name: str, n: int) -> str:
    """The first step of a machine by rule."""
    made = f'm = {MACHINES[name].format(n=n)}\nlap("describe")\nmachine = m.assemble()\nlap("assemble")'
    return f'{LINKWORK}{made}\nmachine.simulate(0.001)\nlap("first step"){END}'


def bodies_of(name: str, n: int) -> int:
    """How many bodies a chain or a row of four-bars has."""
    return n if name == "chain" else 2 * n + 1


def stepped_by(peer: str, name: str, n: int) -> str:
    """The same in a peer: its import, the model, one step, and one more."""
    if peer == "MuJoCo":
        machine, module, more = _described(name, n), "mujoco", "model = mujoco.MjModel.from_xml_string(xml)"
        text = f"{machine}\nxml = peers.mjcf(machine) if {name == 'chain'} else loops.mjcf(machine)"
        if name != "chain":  # anchors are taken at zero, where loops are open
            more += "\nfor k, pair in enumerate(ends): model.eq_data[k, :6] = [*pair[0], *pair[1]]"
            text += "\nends = [p for c in machine.closures for p in c.points(machine.planar)]"
        begun = "data = mujoco.MjData(model)\nmujoco.mj_resetData(model, data)"
        if name != "chain":
            begun += "\ndata.qpos[:] = machine.home"
        step = "mujoco.mj_step(model, data)"
    else:
        module, text = "pinocchio", _described(name, n)
        own = "peers" if name == "chain" else "loops"
        more = f"peer = object.__new__({own}.Pinocchio)\npeer.pin, peer.machine = pinocchio, machine\n"
        begun = "import numpy as np\n"
        if name == "chain":
            more += "model, _ = peer.build(machine, True)"
            begun += "data, q, v = model.createData(), pinocchio.neutral(model), np.zeros(model.nv)"
            step = "a = pinocchio.aba(model, data, q, v, v); q = pinocchio.integrate(model, q, 1e-3 * a)"
        else:
            more += "model = peer.model = peer._tree()\nconstraints, stores = peer._closed()"
            begun += "data, q, v = model.createData(), machine.home.copy(), np.zeros(model.nv)\n"
            begun += "settings = pinocchio.ProximalSettings(1e-12, 1e-10, 10)\n"
            begun += "pinocchio.initConstraintDynamics(model, data, constraints, stores)"
            step = "a = pinocchio.constraintDynamics(model, data, q, v, v, constraints, stores, settings)"
    before = "sys.setrecursionlimit(10**5)\nimport peers\nimport closed_dynamics as loops\nimport closed_machines\n"
    laps = (
        f'import {module}\nlap("import")\n{more}\n{begun}\nlap("model")\n{step}\nlap("first step")\n{step}\nlap("next")'
    )
    return f"{BEGIN}{before}{text}\nlap()\n{laps}\nanswer()"


def _described(name: str, n: int) -> str:
    return f"machine = peers.chain({n})" if name == "chain" else f"machine = closed_machines.n_four_bar({n})"


# ---------------------------------------------------------------- the gallery


def drives_of(machine: lw.Machine) -> dict[str, tuple[float, float]]:
    """Laws that move a machine a little from its home."""
    home = machine.home
    velocities = ("vx", "vy", "vz")  # of a body that flies, whose variables are x, y, z
    last = {name: name.rpartition(".")[2] for name in home.independent}
    plain = [name for name, part in last.items() if part[0] not in "qw" and part not in velocities]
    return {name: (float(home[name]), float(home[name]) + TURN) for name in plain}


def questions(mechanism: lw.Mechanism) -> dict[str, str]:
    """First questions by name: each to a machine of its own process, whose kernels are nowhere."""
    machine = mechanism.assemble()
    drives = drives_of(machine)
    begin = f"{LINKWORK}machine = lw.example({mechanism.name!r}).assemble()\nlap('assemble')\n"
    found = {"simulate": f"{begin}machine.simulate(0.05)\nlap('simulate'){END}"}
    if drives:
        moved = f"{begin}run = machine.motion({drives!r}, samples=21)\nlap('motion')\n"
        found |= {"motion": f"{moved}{END}", "forces": f"{moved}machine.forces(run)\nlap('forces'){END}"}
    places = [*mechanism.points, *mechanism.frames, *mechanism.bodies]
    if drives and places:
        there = machine.at({name: to for name, (_, to) in drives.items()}).position(places[0]).tolist()
        found["reach"] = f"{begin}machine.reach({places[0]!r}, {there!r})\nlap('reach'){END}"
    if not all(body.mass for name, body in mechanism.bodies.items() if name != mechanism.ground.name):
        found.pop("simulate", None)
    return found


def commands(mechanism: lw.Mechanism, file: str) -> list[list[str]]:
    """The words of commands on a file."""
    machine = mechanism.assemble()
    told = [
        word for name, (begin, end) in drives_of(machine).items() for word in ("--drive", f"{name}={begin!r}:{end!r}")
    ]
    return [
        ["motion", file, *told],
        ["forces", file, *told],
        ["simulate", file, "--until", "0.05s"],
        ["statics", file],
    ]


# ---------------------------------------------------------------- large machines

WALK = """
import tempfile, pathlib
folder = tempfile.TemporaryDirectory()
file = pathlib.Path(folder.name) / "machine.yaml"
lw.save({machine}, file)
lap()
m = lw.load(file)
lap("load")
from linkwork.analyses.check import check
assert check(m).topology is not None
lap("check")
machine = m.assemble()
lap("assemble")
machine.home.mobility
lap("mobility")
home = machine.home
drives = {{name: float(home[name]) for name in home.independent}}
first = next(iter(drives))
drives[first] = (drives[first], drives[first] + 1e-3)
run = machine.motion(drives, samples=11, duration=1.0)
lap("motion")
machine.forces(run)
lap("forces")
machine.simulate(0.001)
lap("simulate")
lw.draw_posture(machine).figure.savefig(pathlib.Path(folder.name) / "machine.png")
lap("draw")
"""


def walked(name: str, n: int) -> str:
    """A large machine from reading to drawing."""
    return LINKWORK + WALK.format(machine=MACHINES[name].format(n=n)) + END
