"""Traces, arrows, screw axes and centrodes over a motion, and the poses that are played: all against closed forms."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.views.layers import LAYERS, layers_of
from linkwork.views.layers.arrows import LONGEST
from linkwork.views.record import swept_corners
from linkwork.views.scene import scene_of
from linkwork.views.tracks import slowing, tracks_of


def wheel() -> tuple[lw.Machine, lw.Run]:
    """A crank 0.2 long that turns at 2 rad/s, with a point at its end."""
    m = lw.Mechanism("wheel")
    m.body("crank", mass=1.0, com=(0.1, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
    m.revolute("A", "ground", "crank", at=(0.5, 0.3, 0.0), axis="z")
    m.point("P", "crank", at=(0.7, 0.3, 0.0))
    s = m.assemble()
    return s, s.motion(A=lw.ramp(0.0, 2 * math.pi, duration=math.pi), samples=73)


def test_velocity_arrows_stand_across_the_arm_and_accelerations_along_it() -> None:
    s, run = wheel()
    layers = {layer.name: layer for layer in layers_of(s, run)}
    for name, along in (("velocity", False), ("acceleration", True)):
        (segments,) = layers[name].segments
        tails, tips = segments.ends[:, 0, 0], segments.ends[:, 0, 1]
        arm = tails - [0.5, 0.3, 0.0]
        assert np.linalg.norm(arm, axis=1) == pytest.approx(0.2, abs=1e-14)
        arrow = tips - tails
        assert np.linalg.norm(arrow, axis=1) == pytest.approx(LONGEST * s.layout.size, rel=1e-9)
        across = np.abs(np.sum(arm * arrow, axis=1)) / 0.2 / (LONGEST * s.layout.size)
        assert across == pytest.approx(1.0 if along else 0.0, abs=1e-9)
    assert layers["velocity"].legend == "the longest arrow is 0.4 m/s"
    assert layers["acceleration"].legend == "the longest arrow is 0.8 m/s^2"


def test_the_trace_is_the_circle_and_the_screw_axis_the_pin() -> None:
    s, run = wheel()
    layers = {layer.name: layer for layer in layers_of(s, run)}
    (trace,) = layers["traces"].curves
    assert np.linalg.norm(trace.points - [0.5, 0.3, 0.0], axis=1) == pytest.approx(0.2, abs=1e-14)
    (axes,) = layers["screws"].segments
    assert not axes.arrows
    middle = axes.ends.mean(axis=2)[:, 0]
    assert np.abs(middle - [0.5, 0.3, 0.0]).max() < 1e-12
    direction = axes.ends[:, 0, 1] - axes.ends[:, 0, 0]
    assert np.abs(direction[:, :2]).max() < 1e-12
    assert "centrodes" not in layers  # a body pivoted on ground has a point for a centrode


def test_bodies_without_points_show_the_velocity_of_their_centres_of_mass() -> None:
    m = lw.Mechanism("bare")
    m.body("crank", mass=1.0, com=(0.1, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
    m.revolute("A", "ground", "crank", at=(0, 0, 0), axis="z")
    s = m.assemble()
    run = s.motion(A=lw.ramp(0.0, 1.0, duration=0.5), samples=5)
    (layer,) = layers_of(s, run, ["velocity"])
    (segments,) = layer.segments
    assert np.linalg.norm(segments.ends[:, 0, 0], axis=1) == pytest.approx(0.1, abs=1e-14)
    assert layer.legend == "the longest arrow is 0.2 m/s"


def test_the_moving_centrode_touches_the_fixed_one_at_the_pole() -> None:
    s = lw.example("four-bar").assemble()
    run = s.motion(O2=lw.ramp(0.0, 2 * math.pi, duration=2.0), samples=181)
    (layer,) = layers_of(s, run, ["centrodes"])
    fixed, moving = layer.curves
    assert (fixed.body, moving.body) == ("ground", "coupler")
    seen = np.isfinite(fixed.points).all(axis=1) & np.isfinite(moving.points).all(axis=1)
    assert seen.sum() > 100
    R, p = run["coupler"].rotation.values, run["coupler"].position.values
    world = np.einsum("tij,tj->ti", R, moving.points) + p
    assert np.abs((world - fixed.points)[seen]).max() < 1e-9


def test_unknown_layers_are_told_with_what_there_is() -> None:
    s, run = wheel()
    with pytest.raises(lw.ModelError, match=r"no layer 'trace'.*did you mean 'traces'"):
        layers_of(s, run, ["trace"])
    assert list(LAYERS) == ["traces", "velocity", "acceleration", "screws", "centrodes", "reactions", "loads"]


def test_tracks_are_the_poses_of_the_run() -> None:
    _, run = wheel()
    tracks = tracks_of(run, ["ground", "crank"])
    assert set(tracks.positions) == {"crank"}
    angle = 2.0 * np.arctan2(tracks.quaternions["crank"][:, 3], tracks.quaternions["crank"][:, 0])
    assert np.unwrap(angle) == pytest.approx(np.linspace(0.0, 2 * math.pi, 73), abs=1e-12)
    steps = np.sum(tracks.quaternions["crank"][1:] * tracks.quaternions["crank"][:-1], axis=1)
    assert steps.min() > 0.99  # no flips between q and -q
    some = tracks.at_most(10)
    assert some.samples.tolist() == [0, 8, 16, 24, 32, 40, 48, 56, 64, 72]
    assert np.array_equal(some.positions["crank"], run["crank"].position.values[some.samples])
    assert tracks.at_most(73) is tracks


def test_samples_that_are_not_finite_are_left_out_and_counted() -> None:
    s, run = wheel()
    data = run.data.copy(deep=True)
    data["crank.position"].values[5] = np.nan
    tracks = tracks_of(lw.Run(data, s), ["crank"])
    assert (len(tracks), tracks.gaps) == (72, 1)
    assert tracks.samples[4:7].tolist() == [4, 6, 7]  # so that arrows stay with their samples
    assert np.isfinite(tracks.positions["crank"]).all()


def test_a_gap_in_the_run_is_a_gap_in_the_layers() -> None:
    s = lw.example("four-bar").assemble()
    run = s.motion(O2=(0.0, 1.0), samples=21)
    data = run.data.copy(deep=True)
    data["coupler.velocity"].values[5] = np.nan
    layers = {layer.name: layer for layer in layers_of(s, lw.Run(data, s))}
    (axes,) = layers["screws"].segments
    unseen = np.flatnonzero(np.isnan(axes.ends).any(axis=(1, 2, 3))).tolist()
    assert unseen[0] == 5
    assert 6 not in unseen  # later ones are too far away
    assert {"traces", "velocity", "centrodes"} <= set(layers)


def test_fast_motions_are_slowed_and_slow_ones_hurried() -> None:
    assert slowing(0.02) * 0.02 == pytest.approx(2.0)
    assert slowing(5.0) == 1.0
    assert slowing(3600.0) * 3600.0 == pytest.approx(20.0)
    assert slowing(0.0) == 1.0


def test_the_whole_motion_is_in_view() -> None:
    s, run = wheel()
    scene = scene_of(s.mechanism)
    low, high = swept_corners(scene, tracks_of(run, scene.bodies))
    assert low[0] <= 0.5 - 0.2
    assert high[0] >= 0.5 + 0.2
    assert low[1] <= 0.3 - 0.2
    assert high[1] >= 0.3 + 0.2
