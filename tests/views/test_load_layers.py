"""Arrows of reactions and loads over a run of forces, against the numbers of the run and against statics by hand."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.results import extended
from linkwork.views.layers import layers_of
from linkwork.views.layers.force_arrows import BOW, LONGEST, WIDEST
from linkwork.views.layers.parts import Layer, Segments
from linkwork.views.overlay import SHORTEST, Overlay
from linkwork.views.scene import scene_of
from linkwork.views.stage import LOCALHOST, Stage, quiet, stop_server, viser_module


def pendulum() -> tuple[lw.Machine, lw.Run]:
    """A mass of 2 kg at 0.5 m on a massless arm, moved slowly: its pin carries the weight, 19.62 N upward."""
    m = lw.Mechanism("pendulum", gravity=(0, -9.81, 0))
    m.body("arm", mass=2.0, com=(0.5, 0, 0))
    m.revolute("A", "ground", "arm", at=(0, 0, 0), axis="z")
    m.point("P", "arm", (0.5, 0, 0))
    m.point("Q", "ground", (0.5, 1.0, 0))
    m.spring("coil", "P", "Q", stiffness=20.0, free=1.2)
    m.force("push", "P", along="-y", amount=4.0)
    m.torque("turn", "arm", about="z", amount="3*sin(t)")
    s = m.assemble()
    return s, s.forces(s.motion(A=lw.ramp(0.0, 1e-3, duration=3.0), samples=31))


def layer(s: lw.Machine, run: lw.Run, name: str) -> Layer:
    (found,) = layers_of(s, run, [name])
    return found


def test_the_reaction_of_a_pin_holds_weight_and_loads() -> None:
    s, run = pendulum()
    found = layer(s, run, "reactions")
    (arrows,) = found.segments
    tails, tips = arrows.ends[:, 0, 0], arrows.ends[:, 0, 1]
    assert np.abs(tails).max() < 1e-15
    # Weight and push down, and the spring of 1 m pushes with 4 N down as well: 27.62 N upward.
    size = np.linalg.norm(run["A"].force.values, axis=1)
    assert size == pytest.approx(2.0 * 9.81 + 4.0 + 4.0, rel=1e-3)
    scale = LONGEST * s.layout.size / size.max()
    assert np.linalg.norm(tips, axis=1) == pytest.approx(size * scale, rel=1e-12)
    assert tips[:, 1] == pytest.approx(size * scale, rel=1e-6)
    assert found.legend == f"the longest arrow is {size.max():.3g} N, at A"


def test_arrows_are_those_of_the_second_body_in_world_axes() -> None:
    """A four-bar: on each moving body the arrows, weight and inertia balance, m a = F - F' + m g."""
    m = lw.Mechanism("bars", gravity=(0, -9.81, 0))
    for body, com in (("crank", (0.05, 0, 0)), ("coupler", (0.2, 0.1, 0)), ("rocker", (0.35, 0.1, 0))):
        m.body(body, mass=1.0, com=com, inertia=(1e-3, 1e-3, 1e-3))
        m.point(f"at {body}".replace(" ", "_"), body, com)
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    m.revolute("B", "coupler", "crank", at=(0.1, 0, 0), axis="z")  # crank is the second body here
    m.revolute("C", "coupler", "rocker", at=(0.3, 0.2, 0), axis="z")
    m.revolute("D", "ground", "rocker", at=(0.4, 0, 0), axis="z")
    s = m.assemble()
    run = s.forces(s.motion(A=lw.ramp(0.0, 2.0, duration=0.2), samples=21))
    found = layer(s, run, "reactions")
    (arrows,) = found.segments
    names = list(m.joints)
    peak = max(np.linalg.norm(run.data[f"{j}.force"].values[:, :2], axis=1).max() for j in names)
    drawn = (arrows.ends[:, :, 1] - arrows.ends[:, :, 0]) * peak / (LONGEST * s.layout.size)
    force = {joint: drawn[:, k] for k, joint in enumerate(names)}
    acceleration = run["at_crank"].acceleration.values
    weight = np.array([0.0, -9.81, 0.0])
    assert force["A"] + force["B"] + weight == pytest.approx(acceleration, abs=1e-9 * peak)
    acceleration = run["at_coupler"].acceleration.values
    assert -force["B"] - force["C"] + weight == pytest.approx(acceleration, abs=1e-9 * peak)
    assert np.abs(arrows.ends[..., 2]).max() < 1e-12  # across the plane the loop leaves them open
    assert found.legend.endswith("indeterminate and not drawn: A.fz, B.fz, C.fz, D.fz")
    places = arrows.ends[:, names.index("B"), 0]
    assert np.linalg.norm(places, axis=1) == pytest.approx(0.1, abs=1e-12)


def test_springs_act_on_both_points_and_tell_pulling_from_pushing() -> None:
    s, run = pendulum()
    found = layer(s, run, "loads")
    pieces = {p.name: p for p in found.segments}
    assert set(pieces) == {"forces", "pulling", "pushing", "bows", "bow-tips"}
    assert np.isnan(pieces["pulling"].ends).all()  # 0.2 m shorter than free: it pushes
    tension = run["coil"].tension.values
    largest = max(np.abs(tension).max(), 4.0)
    scale = LONGEST * s.layout.size / largest
    ends = pieces["pushing"].ends
    P, Q = run["P"].position.values, run["Q"].position.values
    away = (P - Q) / np.linalg.norm(P - Q, axis=1, keepdims=True)
    size = -tension[:, None] * scale
    by_start = {"P": (P, away), "Q": (Q, -away)}
    for place, way in by_start.values():
        k = int(np.argmin(np.linalg.norm(ends[0, :, 0] - place[0], axis=1)))
        assert np.abs(ends[:, k, 0] - place).max() < 1e-12
        assert np.abs(ends[:, k, 1] - place - size * way).max() < 1e-12
    push = pieces["forces"].ends[:, 0]
    assert np.abs(push[:, 1] - push[:, 0] - [0, -4.0 * scale, 0]).max() < 1e-12
    assert f"the longest arrow is {largest:.3g} N, of " in found.legend


def test_torques_go_as_far_round_as_they_are_large() -> None:
    s, run = pendulum()
    pieces = {p.name: p for p in layer(s, run, "loads").segments}
    amount = run["turn"].torque.values
    assert np.isnan(pieces["bow-tips"].ends[0]).all()  # sin 0 has no direction
    last = pieces["bows"].ends[:, -1, 1]
    tails, tips = pieces["bow-tips"].ends[1:, 0, 0], pieces["bow-tips"].ends[1:, 0, 1]
    assert np.array_equal(last[1:], tips)
    middle = run["P"].position.values / 2  # amid the pin and the point
    own = (last - middle) / (BOW * s.layout.size)
    assert np.abs(np.sum((tips - tails) * own[1:], axis=1)).max() < 1e-12  # along the bow
    assert (np.cross(own[1:], tips - tails)[:, 2] > 0.0).all()  # the way of the torque
    assert np.linalg.norm(own, axis=1) == pytest.approx(1.0, abs=1e-12)
    first = pieces["bows"].ends[:, 0, 0] - middle
    turned = np.arctan2(own[:, 1], own[:, 0]) - np.arctan2(first[:, 1], first[:, 0])
    wanted = WIDEST * amount / amount.max()
    assert np.cos(turned - wanted) == pytest.approx(1.0, abs=1e-12)
    assert amount.max() == pytest.approx(3.0, rel=2e-3)


def test_a_run_without_forces_says_what_to_ask() -> None:
    s, run = pendulum()
    plain = s.motion(A=lw.ramp(0.0, 1.0, duration=1.0), samples=5)
    assert not {"reactions", "loads"} & {x.name for x in layers_of(s, plain)}
    with pytest.raises(lw.ModelError, match=r"the run has no forces, so no reactions.*s\.forces"):
        layers_of(s, plain, ["reactions", "loads"])
    assert {"reactions", "loads"} <= {x.name for x in layers_of(s, run)}


def test_a_run_with_some_forces_shows_what_it_has() -> None:
    s, _ = pendulum()
    plain = s.motion(A=lw.ramp(0.0, 1.0, duration=1.0), samples=5)
    some = extended(plain, {"A.force": ("N", np.tile([3.0, 4.0, 0.0], (5, 1))), "A.moment": ("N m", np.zeros((5, 3)))})
    assert layers_of(s, some, ["loads"]) == []
    (arrows,) = layer(s, some, "reactions").segments
    assert np.linalg.norm(arrows.ends[:, 0, 1], axis=1) == pytest.approx(LONGEST * s.layout.size, rel=1e-12)


def test_gaps_stay_gaps() -> None:
    s, run = pendulum()
    data = run.data.copy(deep=True)
    data["A.force"].values[4] = np.nan
    (arrows,) = layer(s, lw.Run(data, s), "reactions").segments
    assert np.isnan(arrows.ends[4, 0, 1]).all()
    assert np.isfinite(np.delete(arrows.ends, 4, axis=0)).all()


def test_a_movie_shows_them_and_tells_their_scale(tmp_path) -> None:  # type: ignore[no-untyped-def]
    _, run = pendulum()
    for style in ("solid", "line"):
        path = tmp_path / f"{style}.gif"
        movie = lw.animate(run, path, fps=5, style=style, layers=["reactions", "loads"], size=(320, 240))
        assert (movie.frames, movie.size) == (16, (320, 240))


def test_on_a_page_arrows_of_no_length_and_gaps_are_not_seen() -> None:
    """viser keeps the heads of arrows that have no length: these lie upon others, and alone they are hidden."""
    s, _ = pendulum()
    ends = np.zeros((3, 2, 2, 3))
    ends[0, :, 1] = [[0.5, 0, 0], [0, 0.001 * SHORTEST, 0]]  # the second is too short
    ends[1] = np.nan
    ends[1, 1] = [[0, 0, 0], [0, 0.4, 0]]  # the first is a gap
    with quiet():
        server = viser_module("a test").ViserServer(host=LOCALHOST, port=0, verbose=False)
    try:
        stage = Stage(server.scene, scene_of(s.mechanism))
        overlay = Overlay(stage, [Layer("loads", "loads", segments=(Segments("forces", ends, 1),))])
        ((_, _, node),) = overlay.moving
        for sample, kept in ((0, 0), (1, 1)):
            overlay.to_sample(sample)
            points = np.asarray(node.points)
            assert points.shape == (2, 2, 3)
            wanted = (ends[sample, kept, 1] - ends[sample, kept, 0]) * stage.unit
            assert np.abs(points[:, 1] - points[:, 0] - wanted).max() < 1e-6
            assert node.visible
        overlay.to_sample(2)
        assert not node.visible
        overlay.show("loads", True)
        assert not node.visible
        overlay.to_sample(0)
        assert node.visible
        overlay.show("loads", False)
        assert not node.visible
    finally:
        stop_server(server)
