"""A motion as one page that needs nothing else: viser's client with the recorded scene inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from linkwork.analyses.machine import Machine
from linkwork.colours import LIGHT, Theme
from linkwork.geometry import Array
from linkwork.results import Run
from linkwork.views.layers.parts import Layer
from linkwork.views.overlay import Overlay
from linkwork.views.placed_layout import layout_at
from linkwork.views.scene import Scene, scene_of
from linkwork.views.stage import LOCALHOST, Stage, aim, page_camera, quiet, stop_server, viser_module
from linkwork.views.tracks import Tracks, slowing, tracks_of

FINE = 2.0**17
"""Steps of a recorded place in the machine's size, and of a turn's quaternion in 1: a hundredth of a pixel. Round
numbers pack better, and what stays within a step is not worth a message."""


MOST_FRAMES = 1000
"""Samples of a run that a page plays at most."""


def run_page(
    s: Machine,
    run: Run,
    *,
    layers: Sequence[Layer] = (),
    theme: Theme = LIGHT,
    names: bool = True,
    rate: float | None = None,
) -> tuple[str, Tracks]:
    """The page of a run, and what it plays: at most `MOST_FRAMES` samples.

    Parameters
    ----------
    s : the machine that moved
    run : what it did
    layers, theme, names : as of `animation_page`
    rate : seconds of playing per second of motion; without, so that it can be watched
    """
    scene = scene_of(s.mechanism, layout_at(s))
    tracks = tracks_of(run, scene.bodies).at_most(MOST_FRAMES)
    if rate is None:
        rate = slowing(float(tracks.times[-1] - tracks.times[0])) if len(tracks) else 1.0
    return animation_page(scene, tracks, theme=theme, layers=layers, names=names, rate=rate), tracks


def animation_page(
    scene: Scene,
    tracks: Tracks | None = None,
    *,
    theme: Theme = LIGHT,
    layers: Sequence[Layer] = (),
    names: bool = True,
    rate: float = 1.0,
) -> str:
    """The HTML of a page that plays a motion, or shows the scene as it stands.

    Parameters
    ----------
    scene : what is seen
    tracks : poses over time; a still picture without
    theme : colours
    layers : curves and arrows over the motion; visitors switch them in the page's scene tree
    names : whether names are shown
    rate : seconds of playing per second of motion
    """
    viser = viser_module("the page with the machine in three dimensions")
    with quiet():
        server = viser.ViserServer(host=LOCALHOST, port=0, verbose=False)
    try:
        stage = Stage(server.scene, scene, theme)
        stage.show_names(names)
        overlay = Overlay(stage, layers)
        aim(server.initial_camera, page_camera(scene, _corners(scene, tracks)))
        up = np.asarray(scene.up, float)
        server.scene.set_up_direction((float(up[0]), float(up[1]), float(up[2])))
        if tracks is None or not len(tracks):
            return str(server.scene.as_html(dark_mode=theme.name == "dark"))
        for body, node in stage.bodies.items():
            if body in tracks.positions:
                node.position, node.wxyz = tracks.positions[body][0] * stage.unit, tracks.quaternions[body][0]
        followed = scene.followed_bodies
        stage.follow(tracks.poses(0, followed))
        overlay.to_sample(int(tracks.samples[0]))
        recording = server.get_scene_serializer()
        moves = _moves(stage, tracks)
        for i in range(1, len(tracks)):
            recording.insert_sleep(float(tracks.times[i] - tracks.times[i - 1]) * rate)
            recording._messages += [(recording._time, message) for message in moves[i]]
            stage.follow(tracks.poses(i, followed))
            overlay.to_sample(int(tracks.samples[i]))
        recording.insert_sleep(_pause(tracks.times) * rate)
        return str(recording.as_html(dark_mode=theme.name == "dark"))
    finally:
        stop_server(server)


def _moves(stage: Stage, tracks: Tracks) -> list[list[Any]]:
    """Messages that move what has moved, by sample.

    They go straight into the recording: through the nodes each would also be sent to visitors, of whom there are none,
    and a page of 1,000 samples would take ten times as long.
    """
    from viser._messages import SetOrientationMessage, SetPositionMessage

    moves: list[list[Any]] = [[] for _ in range(len(tracks))]
    for body in (b for b in tracks.positions if b in stage.bodies):
        name = f"{stage.root}/{body}"
        places = (SetPositionMessage, tracks.positions[body] * stage.unit)
        for message, values in (places, (SetOrientationMessage, tracks.quaternions[body])):
            steps = np.round(values * FINE)
            rounded = (steps / FINE).tolist()
            # Of one message viser says how it is written; the others differ in their numbers only.
            (vector,) = (f.name for f in fields(message) if f.name not in ("name", "owner"))
            written = message(name, tuple(rounded[0])).as_serializable_dict([])
            for i in (1 + np.flatnonzero((steps[1:] != steps[:-1]).any(axis=1))).tolist():
                moves[i].append({**written, vector: tuple(rounded[i])})
    return moves


def _pause(times: Array) -> float:
    """The last sample is seen as long as the one before it."""
    return float(times[-1] - times[-2]) if len(times) > 1 else 0.0


def _corners(scene: Scene, tracks: Tracks | None) -> Array:
    """The space that a motion fills: each body's own box, carried along."""
    return scene.corners if tracks is None else swept_corners(scene, tracks)


def swept_corners(scene: Scene, tracks: Tracks) -> Array:
    """Lowest and highest place of all parts over a motion [m], as rows; from the corners of each body's box."""
    from linkwork.geometry.rotations import from_quaternion

    found: list[Any] = [scene.corners]
    for body, position in tracks.positions.items():
        own = [p.mesh.vertices for p in scene.parts if p.body == body]
        if not own or not len(position):
            continue
        low, high = np.min([v.min(axis=0) for v in own], axis=0), np.max([v.max(axis=0) for v in own], axis=0)
        box = np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
        places = np.einsum("tij,kj->tki", from_quaternion(tracks.quaternions[body]), box) + position[:, None]
        found.append(np.array([places.min(axis=(0, 1)), places.max(axis=(0, 1))]))
    return np.array([np.min([c[0] for c in found], axis=0), np.max([c[1] for c in found], axis=0)])
