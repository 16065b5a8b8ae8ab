"""The same file read by Linkwork and by another program: places of links, and efforts of a motion without loads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import linkwork as lw


def bare(m: lw.Mechanism, springs: bool = False) -> lw.System:
    """Its tree without loads and relations; with springs and rotors where asked, which MuJoCo counts too."""
    for name in list(m.loads):
        if not (springs and type(m.loads[name]).__name__ == "Spring"):
            m.leave_out(name)
    if not springs:
        m.motors.clear()
    m.constraints.clear()
    return lw.System(m)


def slots(names: tuple[str, ...], joint: str) -> list[int]:
    return [i for i, name in enumerate(names) if name.startswith(f"{joint}.")]


def beside_pinocchio(file: Path | None, text: str | None = None, floating: bool = False) -> tuple[float, float]:
    """Largest differences of poses, and of efforts in parts of the largest."""
    import pinocchio as pin

    if file is not None:
        m = lw.load(file, floating=floating)
        model = pin.buildModelFromUrdf(str(file), *([pin.JointModelFreeFlyer()] if floating else []))
    else:
        m = lw.loads(text)
        model = pin.buildModelFromXML(text)
    report = m.import_report
    s = bare(m)
    data = model.createData()
    rng = np.random.default_rng(1)
    q, v, a = pin.neutral(model), rng.normal(size=model.nv), rng.normal(size=model.nv)
    Q, V, A = s.neutral.copy(), np.zeros(s.nv), np.zeros(s.nv)
    order, turns = np.full(model.nv, -1), []
    for j in range(1, model.njoints):
        name = model.names[j]
        own = "floating_base" if floating and name == "root_joint" else report.joints[name]
        J, cs, rs = model.joints[j], slots(s.coordinates, own), slots(s.rates, own)
        kind = m.joints[own].law.kind
        if kind == "free":
            p, quat = rng.normal(size=3), rng.normal(size=4)
            quat /= np.linalg.norm(quat)
            q[J.idx_q : J.idx_q + 7] = [*p, *quat[1:], quat[0]]
            Q[cs] = [*p, *quat]
            turns.append((J.idx_v, rs))
        elif kind == "flat":
            x, y, angle = rng.uniform(-1, 1, 3)
            q[J.idx_q : J.idx_q + 4] = [x, y, np.cos(angle), np.sin(angle)]
            Q[cs] = [x, y, angle]
            v[J.idx_v : J.idx_v + 3] = a[J.idx_v : J.idx_v + 3] = 0.0
        else:
            x = rng.uniform(-1, 1)
            q[J.idx_q : J.idx_q + J.nq] = [x] if J.nq == 1 else [np.cos(x), np.sin(x)]
            Q[cs] = x
        order[J.idx_v : J.idx_v + J.nv] = rs
    V[order], A[order] = v, a
    for start, rs in turns:  # Pinocchio's linear rates of a free joint are along its own axes
        R = _rotation(Q, slots(s.coordinates, s.rates[rs[0]].partition(".")[0]))
        w, u = v[start + 3 : start + 6], v[start : start + 3]
        V[rs] = [*(R @ u), *w]
        A[rs] = [*(R @ (a[start : start + 3] + np.cross(w, u))), *a[start + 3 : start + 6]]
    pin.forwardKinematics(model, data, q, v, a)
    pin.updateFramePlacements(model, data)
    far = 0.0
    for i, frame in enumerate(model.frames):
        if frame.type == pin.FrameType.BODY and report.bodies.get(frame.name) in s.bodies:
            X = s.pose(report.bodies[frame.name], Q)
            far = max(far, float(np.abs(X - data.oMf[i].homogeneous).max()))
    theirs = pin.rnea(model, data, q, v, a).copy()
    ours = s.inverse_dynamics(Q, V, A)[order]
    for start, rs in turns:
        R = _rotation(Q, slots(s.coordinates, s.rates[rs[0]].partition(".")[0]))
        ours[start : start + 3] = R.T @ ours[start : start + 3]
    size = max(1.0, float(np.abs(theirs).max(initial=0.0)))
    return far, float(np.abs(ours - theirs).max(initial=0.0)) / size


def _rotation(Q: Any, cs: list[int]) -> Any:
    return lw.geometry.from_quaternion(Q[cs[3:]])


def with_axes_of_mujoco(m: lw.Mechanism, M: Any) -> None:
    """Inertias as MuJoCo has them, by principal axes that it finds to 1e-12 kg m^2: bodies of insects feel that."""
    import mujoco

    masses = lw.lay_out(m).masses
    for b in range(1, M.nbody):
        name = m.import_report.bodies[_body(M, b)]
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, M.body_iquat[b])
        T = R.reshape(3, 3) @ np.diag(M.body_inertia[b]) @ R.reshape(3, 3).T
        assert np.abs(T - masses[name].inertia).max() <= 1e-7 * np.abs(T).max() + 1e-11
        m.bodies[name] = replace(m.bodies[name], inertia=lw.inertia((T + T.T) / 2), accept_unphysical=True)


def beside_mujoco(
    file: Path | None, text: str | None = None, folders: Any = (), axes: bool = False
) -> tuple[float, float]:
    """The same against MuJoCo, with springs, damping and rotors; without contact, limits, friction, actuators.

    With its principal axes where asked, as `with_axes_of_mujoco` tells.
    """
    import mujoco

    M = mujoco.MjModel.from_xml_path(str(file)) if text is None else mujoco.MjModel.from_xml_string(text)
    m = lw.load(file, folders=folders) if text is None else lw.loads(text)
    report = m.import_report
    if axes:
        with_axes_of_mujoco(m, M)
    for k in range(M.neq):
        name = mujoco.mj_id2name(M, mujoco.mjtObj.mjOBJ_EQUALITY, k) or f"equality{k + 1}"
        m.joints.pop(report.joints.get(name, ""), None)
    s = bare(m, springs=True)
    bit = mujoco.mjtDisableBit
    M.opt.disableflags |= bit.mjDSBL_CONSTRAINT | bit.mjDSBL_ACTUATION
    M.opt.density = M.opt.viscosity = M.opt.enableflags = 0
    M.tendon_stiffness[:] = M.tendon_damping[:] = M.tendon_armature[:] = 0
    M.body_gravcomp[:] = 0
    d = mujoco.MjData(M)
    rng = np.random.default_rng(1)
    Q, V, A, order = s.neutral.copy(), np.zeros(s.nv), np.zeros(s.nv), np.full(M.nv, -1)
    sizes = {0: 6, 1: 3, 2: 1, 3: 1}
    for j in range(M.njnt):
        kind, body, qa, va = M.jnt_type[j], M.jnt_bodyid[j], M.jnt_qposadr[j], M.jnt_dofadr[j]
        said = mujoco.mj_id2name(M, mujoco.mjtObj.mjOBJ_JOINT, j)
        if said is None:
            place = j - M.body_jntadr[body] + 1 if M.body_jntnum[body] > 1 else ""
            said = f"{_body(M, body)}_{('free', 'ball', 'slide', 'hinge')[kind]}{place}"
        own = report.joints[said]
        order[va : va + sizes[kind]] = slots(s.rates, own)
        if kind < 2:
            quat = rng.normal(size=4)
            quat /= np.linalg.norm(quat)
            value = [*rng.normal(size=3), *quat] if kind == 0 else quat
            M.dof_armature[va : va + sizes[kind]] = M.dof_damping[va : va + sizes[kind]] = M.jnt_stiffness[j] = 0
        else:
            value = [rng.uniform(-1, 1) + M.qpos0[qa]]
        d.qpos[qa : qa + len(value)] = Q[slots(s.coordinates, own)] = value
    d.qvel[:], acceleration = rng.normal(size=M.nv), rng.normal(size=M.nv)
    V[order], A[order] = d.qvel, acceleration
    mujoco.mj_kinematics(M, d)
    far = 0.0
    for b in range(1, M.nbody):
        own = report.bodies[_body(M, b)]
        if own in s.bodies:
            X = s.pose(own, Q)
            far = max(far, np.abs(X[:3, 3] - d.xpos[b]).max(), np.abs(X[:3, :3] - d.xmat[b].reshape(3, 3)).max())
    d.qacc[:] = acceleration
    mujoco.mj_inverse(M, d)
    theirs, ours = d.qfrc_inverse.copy(), s.inverse_dynamics(Q, V, A)[order]
    return float(far), float(np.abs(ours - theirs).max(initial=0.0)) / max(1.0, float(np.abs(theirs).max(initial=0.0)))


def _body(M: Any, b: int) -> str:
    import mujoco

    return mujoco.mj_id2name(M, mujoco.mjtObj.mjOBJ_BODY, b) or f"body{b}"
