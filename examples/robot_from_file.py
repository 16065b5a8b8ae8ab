"""A robot from its file: an arm as URDF, what was kept and lost of it, and what it takes to move it.

The numbers at the end are those of Pinocchio for the same text (tests/files/robots holds many more files to it).
"""

import numpy as np

import linkwork as lw
from linkwork.units import deg

TEXT = """
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.2 0 0" rpy="0 0.3 0"/><mass value="3"/>
      <inertia ixx="0.01" iyy="0.04" izz="0.05" ixy="0.001" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.2 0 0" rpy="0 1.5708 0"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></visual>
  </link>
  <link name="fore">
    <inertial><origin xyz="0.15 0 0"/><mass value="2"/>
      <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.06 0.06"/></geometry></visual>
  </link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="80" velocity="3"/>
    <dynamics damping="0.5" friction="0.1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0.4 0 0" rpy="0.4 0 0"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="flange" type="fixed"><parent link="fore"/><child link="tool"/><origin xyz="0.3 0 0"/></joint>
  <transmission name="drive"/>
</robot>
"""

m = lw.loads(TEXT, source="arm.urdf")  # lw.load("arm.urdf") where it is a file
print(m.import_report)
s = m.assemble()
print(s)
p = s.at(shoulder=-30 * deg, elbow=50 * deg)
print("the tool is at", np.round(p.pose("tool")[:3, 3], 4), "m")
held = s.statics(shoulder=-30 * deg, elbow=50 * deg)
print(held)
run = s.motion(shoulder=lw.ramp(-30 * deg, 60 * deg, duration=1.0), elbow=0.0, samples=51)
f = s.forces(run)
print(f)

assert m.motors["shoulder_motor"].peak == 80.0 and m.motors["shoulder_motor"].top_speed == 3.0
assert [found.names for found in m.import_report.lost if "transmissions" in found.what] == [("drive",)]
assert np.allclose(p.pose("tool")[:3, 3], [0.61924733, 0.08949353, 0.41310473], atol=1e-8)
assert np.allclose(
    [held.efforts["shoulder.angle"], held.efforts["elbow.angle"]], [-14.57052552, -2.63619111], atol=1e-8
)
