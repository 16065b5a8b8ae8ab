"""Solid pictures of a machine on plain matplotlib axes: for print, and frame by frame for movies."""

from linkwork.views.painting.painter import Painter, paint

__all__ = ["Painter", "paint"]
