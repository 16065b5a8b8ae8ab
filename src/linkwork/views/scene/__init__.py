"""What a machine looks like: solid parts made from its joints, points and solids."""

from linkwork.views.scene.build import scene_of
from linkwork.views.scene.camera import Camera, camera_for
from linkwork.views.scene.parts import Label, Mesh, Part, Scene

__all__ = ["Camera", "Label", "Mesh", "Part", "Scene", "camera_for", "scene_of"]
