# ruff: noqa: E501
"""Robots made hard by hand."""

HARD_URDF = """<?xml version="1.0"?>
<robot name="hard one">
  <material name="red"><color rgba="0.8 0.1 0.1 1"/></material>
  <link name="world"/>
  <link name="base"><inertial><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry><material name="red"/></visual></link>
  <link name="arm">
    <inertial><origin xyz="0.1 -0.02 0.3" rpy="0.4 -1.1 2.0"/><mass value="2.5"/>
      <inertia ixx="0.05" ixy="0.004" ixz="-0.003" iyy="0.04" iyz="0.002" izz="0.03"/></inertial>
    <visual><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.03" length="0.4"/></geometry></visual>
  </link>
  <link name="flange"/>
  <link name="tool 1"><inertial><origin xyz="0.05 0 0"/><mass value="0.4"/>
    <inertia ixx="1e-3" ixy="0" ixz="0" iyy="2e-3" iyz="0" izz="1.5e-3"/></inertial></link>
  <link name="left"><inertial><origin xyz="0 0.01 0.02"/><mass value="0.1"/>
    <inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="1e-5"/></inertial></link>
  <link name="right"><inertial><origin xyz="0 -0.01 0.02"/><mass value="0.1"/>
    <inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="1e-5"/></inertial></link>
  <link name="wheel"><inertial><mass value="0.7"/><inertia ixx="2e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
  </link>
  <link name="ghost"/>
  <joint name="anchor" type="fixed"><parent link="world"/><child link="base"/><origin xyz="0 0 0.5" rpy="0 0 1"/></joint>
  <joint name="arm" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0.1 0.05" rpy="0.3 0.2 -0.7"/>
    <axis xyz="0 2 2"/><limit lower="-2" upper="2.5" effort="60" velocity="3"/><dynamics damping="0.7" friction="0.2"/></joint>
  <joint name="neck" type="fixed"><parent link="arm"/><child link="flange"/><origin xyz="0 0 0.4" rpy="1.5707963267948966 0 0"/>
  </joint>
  <joint name="roll" type="continuous"><parent link="flange"/><child link="tool 1"/><axis xyz="1 0 0"/>
    <limit effort="5" velocity="9"/></joint>
  <joint name="finger" type="prismatic"><parent link="tool 1"/><child link="left"/><origin xyz="0.1 0 0" rpy="0 0.5 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="20" velocity="0.1"/></joint>
  <joint name="thumb" type="prismatic"><parent link="tool 1"/><child link="right"/><origin xyz="0.1 0 0" rpy="0 -0.5 0"/>
    <axis xyz="0 -1 0"/><limit lower="-2" upper="2" effort="20" velocity="0.1"/>
    <mimic joint="finger" multiplier="1.5" offset="0.02"/></joint>
  <joint name="spin" type="continuous"><parent link="base"/><child link="wheel"/><origin xyz="0.2 0 0" rpy="0 0 0.2"/>
    <axis xyz="1 0 0"/></joint>
  <joint name="float" type="revolute"><parent link="wheel"/><child link="ghost"/><axis xyz="0 0 -1"/>
    <limit lower="0" upper="0" effort="1" velocity="1"/></joint>
  <transmission name="t1"><type>transmission_interface/SimpleTransmission</type><joint name="arm"/></transmission>
  <gazebo reference="arm"><material>Gazebo/Red</material></gazebo>
</robot>
"""

HARD_MJCF = """<mujoco model="hard">
  <compiler angle="radian" eulerseq="zYx"/>
  <option gravity="0.3 0 -9.7" timestep="0.001"/>
  <default>
    <joint damping="0.1" armature="0.01"/>
    <geom density="700"/>
    <default class="leg"><joint stiffness="4" springref="0.3" axis="0 1 0"/><geom type="capsule" size="0.04"/>
      <default class="foot"><geom type="box" size="0.1 0.05 0.02"/></default></default>
  </default>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0.2 1" euler="0.3 -0.2 0.9">
      <freejoint name="root"/>
      <geom name="trunk" type="ellipsoid" size="0.3 0.2 0.15" pos="0.05 0 0.02"/>
      <geom type="sphere" size="0.1" pos="0.3 0 0.1" mass="1.2"/>
      <site name="imu" pos="0 0 0.1" zaxis="1 1 0"/>
      <body name="thigh" pos="0.1 -0.1 -0.1" axisangle="0 1 1 0.5" childclass="leg">
        <joint name="hip-x" axis="1 0 0" pos="0 0 0.02" range="-1 1"/>
        <joint name="hip-y" pos="0.01 0 0" ref="0.2"/>
        <joint name="hip-s" type="slide" axis="0 0 1" stiffness="0"/>
        <geom fromto="0 0 0 0.05 0.02 -0.4"/>
        <body name="shank" pos="0.05 0 -0.4">
          <joint name="thigh" range="-2 0.1"/>
          <geom fromto="0 0 0 0 0 -0.35" size="0.03"/>
          <frame pos="0 0 -0.35" euler="0.1 0.2 0.3"><body name="foot"><joint type="ball" damping="0" armature="0" stiffness="0"/>
            <geom class="foot" pos="0.05 0 0"/></body></frame>
        </body>
      </body>
      <body pos="0 0.3 0" xyaxes="0 1 0 -1 0 0.2">
        <inertial pos="0.01 0.02 0.03" mass="0.8" fullinertia="0.01 0.02 0.015 0.001 -0.002 0.003"/>
        <joint name="tail" axis="0 0 2"/>
        <body name="tip" pos="0.2 0 0"><inertial pos="0.1 0 0" mass="0.2" diaginertia="1e-3 2e-3 2.5e-3" euler="0.5 0 0"/></body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="hip_motor" joint="hip-y" gear="50"/></actuator>
</mujoco>
"""

LOOP_MJCF = """<mujoco model="loops">
  <compiler angle="radian"/>
  <default><geom density="500"/></default>
  <worldbody>
    <body name="crank"><joint name="A" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0"/>
      <body name="rod" pos="0.2 0 0"><joint name="B" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0.3"/>
        <site name="pin" pos="0.5 0 0.3"/></body>
    </body>
    <body name="rocker" pos="0.6 0 0"><joint name="C" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0.1 0 0.3"/></body>
    <body name="gear" pos="0 1 0"><joint name="D" axis="0 1 0"/><geom type="cylinder" size="0.1 0.02"/></body>
    <body name="lamp" pos="0 2 0"><joint name="E" type="slide" axis="0 0 1" ref="0.1"/><geom size="0.05"/></body>
    <body name="twin" pos="0 3 0"><joint name="F" type="slide" axis="0 0 1"/><geom size="0.05"/></body>
  </worldbody>
  <tendon><fixed name="one"><joint joint="E" coef="2"/></fixed><fixed name="two"><joint joint="F" coef="-3"/></fixed></tendon>
  <equality>
    <connect name="loop" body1="rod" body2="rocker" anchor="0.5 0 0.3"/>
    <joint name="mesh" joint1="D" joint2="A" polycoef="0.1 -2 0.5 0 0"/>
    <tendon name="rope" tendon1="one" tendon2="two"/>
    <joint name="off" joint1="E" active="false"/>
  </equality>
</mujoco>
"""

HARD_SDF = """<?xml version="1.0"?>
<sdf version="1.9">
 <world name="w"><gravity>0 0 -9.81</gravity>
  <model name="hard"><pose>0 0 0.5 0 0 1</pose>
    <link name="base"><inertial><mass>3</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
      <visual name="v"><geometry><box><size>0.2 0.2 0.1</size></box></geometry>
        <material><diffuse>0.8 0.1 0.1 1</diffuse></material></visual></link>
    <link name="arm"><pose relative_to="arm_joint"/>
      <inertial><pose>0.1 -0.02 0.3 0.4 -1.1 2.0</pose><mass>2.5</mass>
        <inertia><ixx>0.05</ixx><ixy>0.004</ixy><ixz>-0.003</ixz><iyy>0.04</iyy><iyz>0.002</iyz><izz>0.03</izz></inertia></inertial>
      <visual name="v"><pose>0 0 0.2 0 0 0</pose><geometry><cylinder><radius>0.03</radius><length>0.4</length></cylinder></geometry>
      </visual></link>
    <frame name="flange" attached_to="arm"><pose degrees="true">0 0 0.4 90 0 0</pose></frame>
    <link name="tool"><pose relative_to="flange">0 0 0 0 0 0</pose>
      <inertial><pose>0.05 0 0 0 0 0</pose><mass>0.4</mass>
        <inertia><ixx>1e-3</ixx><iyy>2e-3</iyy><izz>1.5e-3</izz></inertia></inertial></link>
    <link name="left"><pose relative_to="finger"/><inertial><pose>0 0.01 0.02 0 0 0</pose><mass>0.1</mass>
      <inertia><ixx>1e-5</ixx><iyy>1e-5</iyy><izz>1e-5</izz></inertia></inertial></link>
    <link name="right"><pose relative_to="thumb"/><inertial><pose>0 -0.01 0.02 0 0 0</pose><mass>0.1</mass>
      <inertia><ixx>1e-5</ixx><iyy>1e-5</iyy><izz>1e-5</izz></inertia></inertial></link>
    <joint name="anchor" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="arm_joint" type="revolute"><pose relative_to="base">0 0.1 0.05 0.3 0.2 -0.7</pose>
      <parent>base</parent><child>arm</child>
      <axis><xyz>0 2 2</xyz><limit><lower>-2</lower><upper>2.5</upper><effort>60</effort><velocity>3</velocity></limit>
        <dynamics><damping>0.7</damping><friction>0.2</friction></dynamics></axis></joint>
    <joint name="roll" type="continuous"><parent>flange</parent><child>tool</child><axis><xyz>1 0 0</xyz></axis></joint>
    <joint name="finger" type="prismatic"><pose relative_to="tool">0.1 0 0 0 0.5 0</pose><parent>tool</parent><child>left</child>
      <axis><xyz>0 1 0</xyz><limit><lower>-2</lower><upper>2</upper></limit></axis></joint>
    <joint name="thumb" type="prismatic"><pose relative_to="tool">0.1 0 0 0 -0.5 0</pose><parent>tool</parent><child>right</child>
      <axis><xyz>0 -1 0</xyz><limit><lower>-2</lower><upper>2</upper></limit>
        <mimic joint="finger"><multiplier>1.5</multiplier><offset>0</offset><reference>0</reference></mimic></axis></joint>
    <sensor name="eye" type="camera"/>
  </model>
  <model name="brick"><static>true</static><link name="b"/></model>
  <model name="ball"><pose>1 2 3 0 0 0</pose><link name="b"><inertial><mass>1</mass></inertial></link></model>
 </world>
</sdf>
"""
