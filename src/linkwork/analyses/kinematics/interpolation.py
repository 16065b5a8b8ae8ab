"""Polynomials between samples."""

from __future__ import annotations

import numpy as np

from linkwork.geometry import Array

FOUR = np.arange(4.0)


def lagrange(nodes: Array, x: Array) -> Array:
    """Lagrange's weights (len(x), nodes)."""
    weights = np.ones((len(x), len(nodes)))
    for a in range(len(nodes)):
        for b in range(len(nodes)):
            if b != a:
                weights[:, a] *= (x - nodes[b]) / (nodes[a] - nodes[b])
    return weights


def interpolated(nodes: Array, stride: int) -> Array:
    """Cubics through four neighbouring nodes each, `stride` samples apart."""
    count, width = nodes.shape
    if count < 4:
        x = np.arange((count - 1) * stride + 1) / stride
        return np.stack([np.interp(x, np.arange(count), column) for column in nodes.T], axis=1)
    part = np.arange(stride) / stride
    result = np.empty(((count - 1) * stride + 1, width))
    blocks = result[:-1].reshape(count - 1, stride, width)
    windows = np.lib.stride_tricks.sliding_window_view(nodes, 4, axis=0)  # (count - 3, width, 4)
    blocks[1:-1] = np.einsum("on,bwn->bow", lagrange(FOUR, part + 1.0), windows, optimize=True)
    blocks[0] = lagrange(FOUR, part) @ nodes[:4]
    blocks[-1] = lagrange(FOUR, part + 2.0) @ nodes[-4:]
    result[-1] = nodes[-1]
    return result
