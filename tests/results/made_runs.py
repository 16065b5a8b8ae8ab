"""Runs whose numbers are known by formula: a slider-crank, and a body that turns freely."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.results import ClosureHistory, PlaceHistory, Run, VariableHistory, build_run

CRANK, ROD, SPEED = 0.05, 0.2, 10.0


def turning(angle: Any) -> Any:
    """Rotations about z, (samples, 3, 3)."""
    c, s, o = np.cos(angle), np.sin(angle), np.zeros_like(angle)
    return np.moveaxis(np.array([[c, -s, o], [s, c, o], [o, o, o + 1]]), -1, 0)


def slider_crank(samples: int = 181, **changes: Any) -> Run:
    """Crank at constant speed, one turn; B is the crank pin, P lies in the middle of the rod. Exact derivatives."""
    angle = np.linspace(0.0, 2 * np.pi, samples)
    time = angle / SPEED
    c, s, flat = np.cos(angle), np.sin(angle), np.zeros(samples)
    tilt = -np.arcsin(CRANK / ROD * s)
    tilt_rate = -CRANK * c * SPEED / (ROD * np.cos(tilt))
    tilt_acceleration = (CRANK * s * SPEED**2 / ROD + np.sin(tilt) * tilt_rate**2) / np.cos(tilt)
    ct, st = np.cos(tilt), np.sin(tilt)

    def along_rod(reach: float) -> tuple[Any, Any, Any]:
        """Position, velocity and acceleration of the place at a distance from the crank pin."""
        p = np.stack([CRANK * c + reach * ct, CRANK * s + reach * st, flat], axis=1)
        v = np.stack([-CRANK * s * SPEED - reach * st * tilt_rate, CRANK * c * SPEED + reach * ct * tilt_rate, flat], 1)
        ax = -CRANK * c * SPEED**2 - reach * (ct * tilt_rate**2 + st * tilt_acceleration)
        ay = -CRANK * s * SPEED**2 - reach * (st * tilt_rate**2 - ct * tilt_acceleration)
        return p, v, np.stack([ax, ay, flat], axis=1)

    pin, middle, end = along_rod(0.0), along_rod(ROD / 2), along_rod(ROD)
    about_z = lambda w: np.stack([flat, flat, w], axis=1)  # noqa: E731
    given: dict[str, Any] = {
        "mechanism": "slider-crank",
        "variables": {
            "A.angle": VariableHistory("rad", angle, flat + SPEED, flat, flat),
            "B.angle": VariableHistory("rad", tilt - angle, tilt_rate - SPEED, tilt_acceleration),
            "D.slide": VariableHistory("m", end[0][:, 0], end[1][:, 0], end[2][:, 0]),
        },
        "bodies": {
            "crank": PlaceHistory(
                flat[:, None] + np.zeros(3),
                np.zeros((samples, 3)),
                np.zeros((samples, 3)),
                rotation=turning(angle),
                angular_velocity=about_z(flat + SPEED),
                angular_acceleration=np.zeros((samples, 3)),
            ),
            "rod": PlaceHistory(
                *pin,
                rotation=turning(tilt),
                angular_velocity=about_z(tilt_rate),
                angular_acceleration=about_z(tilt_acceleration),
            ),
        },
        "points": {"P": PlaceHistory(*middle)},
        "closure": ClosureHistory(1e-16 * (1 + s**2), np.abs(ct), np.ones(samples, int), np.arange(samples) % 4),
        "driven": {"A.angle": "ramp(0, 6.2832, duration=0.62832)"},
    }
    return build_run(time, **(given | changes))


def tumbling(samples: int = 21) -> Run:
    """A ball joint S that turns about z at 2 rad/s, a free joint F that climbs, and a torque."""
    time = np.linspace(0.0, 1.0, samples)
    half, flat = time, np.zeros(samples)
    number = lambda a, **k: VariableHistory("1", a, **k)  # noqa: E731
    turn = {"qw": np.cos(half), "qx": flat, "qy": flat, "qz": np.sin(half)}
    spin = {
        "wx": VariableHistory("rad/s", flat, acceleration=flat),
        "wy": VariableHistory("rad/s", flat, acceleration=flat),
        "wz": VariableHistory("rad/s", flat + 2.0, acceleration=flat, jerk=flat),
    }
    climb = {"x": flat, "y": flat, "z": 3 * time**2}
    return build_run(
        time,
        mechanism="tumbler",
        analysis="simulation",
        variables={f"S.{k}": number(a) for k, a in turn.items()}
        | {f"F.{k}": VariableHistory("m", a) for k, a in climb.items()}
        | {f"F.{k}": number(a) for k, a in turn.items()},
        speeds={f"S.{k}": a for k, a in spin.items()}
        | {"F.vx": VariableHistory("m/s", flat), "F.vy": VariableHistory("m/s", flat)}
        | {"F.vz": VariableHistory("m/s", 6 * time, acceleration=flat + 6.0)}
        | {f"F.{k}": a for k, a in spin.items()},
        bodies={
            "ball": PlaceHistory(np.stack([flat, flat, 3 * time**2], axis=1), rotation=turning(2 * time)),
        },
        points={"tip": PlaceHistory(np.stack([np.cos(2 * time), np.sin(2 * time), 3 * time**2], axis=1))},
        signals={"S.torque": ("N m", np.stack([flat, flat, time], axis=1)), "tumbler.energy": ("N m", 2.0 + flat)},
    )
