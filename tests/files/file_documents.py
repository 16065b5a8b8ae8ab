"""Model files that are right, between them with every key that a model file may have."""

from __future__ import annotations

DESIGN = """\
linkwork: 1
name: slider-crank
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2, 0]
bodies:
  crank:  {mass: 800 g, com: [25, 0, 0]}
  rod:    {mass: 550 g, com: [125, 0, 0]}
  piston: {mass: 700 g}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod],    at: [50, 0, 0], axis: z}
  C: {revolute: [rod, piston],   at: [250, 0, 0], axis: z}
  D: {prismatic: [ground, piston], at: [250, 0, 0], axis: x}
points:
  P: {on: rod, at: [150, 20, 0]}
"""

BODIES = """\
linkwork: 1
name: bodies
description: "every way to give a body: mass, inertia, solids"
units: {length: mm, angle: deg, mass: g, time: s, force: N}
ground: base
floating: true
bodies:
  base:
    description: the one that stands still
  numbers: {mass: 1.5 kg, com: [1, 2, 3], inertia: [0.3 kg m^2, 0.4 kg m^2, 0.5 kg m^2]}
  six: {mass: 2 kg, inertia: [3e5, 4e5, 5e5, 1e4, 2e4, 3e4]}
  square: {mass: 1, inertia: [[3, 0.1, 0.2], [0.1, 4, 0.3], [0.2, 0.3, 5]]}
  elements:
    mass: 1
    com: [0, 0, 1]
    inertia: {xx: 30, yy: 40, zz: 50, xy: 1, xz: 2, yz: 3, about: origin, products: positive, axes: {rpy: [0, 0, 90]}}
  listed: {mass: 1, inertia: {moments: [3, 4, 5], axes: {points: [[1, 1, 1], [1, 1, 2], [2, 1, 1]]}}}
  tensor: {mass: 1, inertia: {tensor: [[3, 0, 0], [0, 4, 0], [0, 0, 5]], about: com, products: tensor}}
  drilled:
    density: 7850 kg/m^3
    frame: {at: [10, 0, 0], axis: x, x: y}
    solids:
      - {box: [10, 20, 30]}
      - {cylinder: {radius: 5, length: 30}, minus: true, at: [1, 2, 3], axis: -z}
      - {tube: {outer: 5, inner: 4, length: 30}, density: 2700 kg/m^3}
      - {sphere: {radius: 5}, rpy: [10, 20, 30]}
      - {cone: {radius: 5, length: 30, top: 2}}
      - {ring_sector: {outer: 30, inner: 10, angle: 60, length: 4}}
  thin: {mass: 1, inertia: [1, 1, 3], accept_unphysical: true}
  painted: {mass: 1, looks: [{box: [1, 2, 3], at: [1, 0, 0]}, {sphere: {radius: 5}}], colour: "#D55E00"}
  nothing:
"""

PLACEMENTS = """\
linkwork: 1
name: placements
units: {angle: deg}
bodies:
  a: {frame: {at: [1, 2, 3], euler_zxz: [10, 20, 30]}}
  b: {frame: {at: [1, 0, 0], euler_zyz: [10, 20, 30], in: a}}
joints:
  J1: {rigid: [ground, a], at: [1, 2, 3]}
  J2: {revolute: [a, b], in: b, matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]], limits: [-30, 30], description: the pin}
frames:
  F1: {on: a, at: [1, 2, 3], euler_xyz: [10, 20, 30], description: a tool}
  F2: {on: a, quaternion: [0.6, 0.8, 0, 0]}
  F3: {on: a, axis_angle: {axis: [1, 1, 0], angle: 45}}
  F4: {on: b, points: [[0, 0, 0], [0, 0, 1], [1, 0, 0]], in: b}
  F5: {on: a, dh: {theta: 30, d: 0.1, a: 0.2, alpha: 90}}
  F6: {on: a, dh_craig: {alpha: 90, a: 0.2, theta: 30, d: 0.1}, in: a}
  F7: {on: a, hayati: {theta: 30, a: 0.2, alpha: 1, beta: 2}}
  F8: {on: a, sheth_uicker: {gamma: 10, c: 0.1, alpha: 20, a: 0.2, beta: 30, b: 0.3}}
  F9: {on: a, x: -y}
points:
  P1: {on: b, at: [1, 0, 0], in: b, description: the tip}
"""

JOINTS = """\
linkwork: 1
name: joints
units: {length: mm, angle: deg}
bodies: {a: , b: , c: , d: , e: , f: , g: , h: , i: }
joints:
  revolute: {revolute: [ground, a], at: [0, 0, 0], axis: z, value: 30, limits: [-90, 90 deg]}
  prismatic: {prismatic: [a, b], at: [100, 0, 0], axis: x, to: [120, 0, 0], limits: {slide: [0, 0.2 m]}}
  helical: {helical: [b, c], at: [100, 0, 0], axis: [1, 1, 0], lead: 5, value: {angle: 720}}
  cylindric: {cylindric: [c, d], at: [0, 0, 0], value: [90, 10], limits: {angle: [0, 180], slide: [0, 20]}}
  spheric: {spheric: [d, e], at: [0, 0, 50], to: {at: [0, 0, 50], rpy: [0, 0, 20]}}
  flat: {flat: [e, f], at: [0, 0, 50], value: {x: 10, y: 20, angle: 30}}
  universal: {universal: [f, g], at: [0, 0, 0], axis: x, x: y, value: [10, 20]}
  universal2: {universal: [f, g], at: [0, 0, 0], axes: [x, y], in: f}
  rigid: {rigid: [g, h], at: [0, 0, 0]}
  free: {free: [ground, i], value: [10, 20, 30, 1, 0, 0, 0], description: anywhere}
expect: {bodies: 10, revolute.angle: 30, prismatic.slide: 20 mm, mass: 0 g}
"""

GEARS = """\
linkwork: 1
name: gears
units: {length: mm, angle: deg}
bodies: {sun: , planet: , rack: , pinion: , bevel1: , bevel2: , ring: , cam: , follower: , plate: }
joints:
  A: {revolute: [ground, sun], at: [0, 0, 0], axis: z}
  B: {revolute: [ground, planet], at: [60, 0, 0], axis: z}
  AB: {gear: [sun, planet], at: [0, 0, 0], to: [60, 0, 0], axis: z, teeth: [20, 40], module: 2, pressure_angle: 20,
    helix_angle: 15, flank: 1, limits: {angle: [-90, 90]}}
  R: {revolute: [ground, ring], at: [60, 0, 0], axis: z}
  RB: {gear: [ring, planet], at: [60, 0, 0], to: {at: [100, 0, 0]}, radii: [80, 40], internal: true}
  C: {prismatic: [ground, rack], at: [0, 0, 0], axis: x}
  D: {revolute: [ground, pinion], at: [0, 30, 0], axis: z}
  CD: {rack: [rack, pinion], at: [0, 0, 0], to: [0, 30, 0], axis: z, x: x, radius: 30, teeth: 30, flank: -1,
    pressure_angle: 20 deg, helix_angle: 0}
  E: {revolute: [ground, bevel1], at: [0, 0, 0], axis: x}
  F: {revolute: [ground, bevel2], at: [0, 0, 0], axis: y}
  EF: {bevel: [bevel1, bevel2], at: [0, 0, 0], axes: [x, y], teeth: [20, 40], in: ground, limits: {angle: [-9, 9]}}
  EF2: {bevel: [bevel1, bevel2], at: [0, 0, 0], axes: [x, [1, 1, 0]], cones: [60, 15], internal: true}
  G: {revolute: [ground, cam], at: [0, 0, 0], axis: z}
  H: {point_on_curve: [cam, follower], curve: oval, at: [0, 0, 0], axis: z, value: {parameter: 0.5}}
  I: {line_on_curve: [cam, plate], curve: egg, at: [0, 0, 0], axis: z, x: x, value: [0.25, 1, 0]}
curves:
  oval: {fourier: {u0: 1, v0: 2, u_cos: [30, 1], u_sin: [0, 1], v_cos: [0, 2], v_sin: [20]}}
  egg: {spline: [[20, 0], [0, 15], [-25, 0], [0, -15]], closed: true, degree: 3}
  line: {expression: {u: t, v: sin(t)**2 / 2}, span: [0, 4], unit: 10 mm, closed: false}
  flat: {expression: {u: t, v: 0}}
"""

CONTACTS = """\
linkwork: 1
name: contacts
units: {length: mm, angle: deg}
bodies: {a: , b: , c: , d: , e: , f: , g: , h: , i: , j: , k: , l: , m: }
curves:
  oval: {fourier: {u_cos: [30], v_sin: [20]}}
joints:
  A: {on_surface: [ground, a], surface: {plane: {}}, at: [0, 0, 10], limits: {x: [-20, 30 mm]}}
  B: {on_surface: [ground, b], surface: {sphere: {radius: 50}}, to: [0, 0, 50], limits: {angle2: [-45, 45]}}
  C: {on_surface: [ground, c], surface: {cylinder: {radius: 2 cm}}, value: {angle: 90, slide: 7}}
  D: {on_surface: [ground, d], surface: {cone: {half_angle: 30}}, value: [45, 10, 1, 0, 0, 0]}
  E: {on_surface: [ground, e], surface: {torus: {radius: 80, tube: 10}}, axis: x, value: {around: 90}}
  F: {on_surface: [ground, f], surface: {height: {z: 10 - x*x/100, x: [-30, 30], y: [-40, 40]}}, to: [0, 0, 10]}
  F2: {on_surface: [ground, m], surface: {height: {z: 0.5, x: [-1, 1], y: [-2, 2], unit: 10 mm}}, value: {x: 0.5}}
  G:
    on_surface: [ground, g]
    surface:
      parametric: {x: 20*cos(u), y: 20*sin(u), z: v, u: [0, 6.283185307179586], v: [-9, 9], closed: u, unit: 1 mm}
    value: {v: 4}
  H: {on_curve: [ground, h], curve: {line: {}}, axis: x, value: {parameter: 12}}
  I: {on_curve: [ground, i], curve: {circle: {radius: 25}}, to: {at: [0, 25, 0], rpy: [10, 20, 30]}}
  J: {on_curve: [ground, j], curve: {helix: {radius: 25, lead: -10}}, value: {parameter: 360}}
  K: {on_curve: [ground, k], curve: {expression: {x: t, y: t*t, z: 0, span: [0, 2], unit: 1 cm, closed: false}},
    value: {parameter: 1}}
  L:
    on_curve: [ground, l]
    curve: {spline: {points: [[0, 0, 0], [10, 0, 5], [20, 5, 5], [20, 20, 0]], closed: true, degree: 3}}
    to: [10, 0, 5]
  M: {on_curve: [a, b], curve: oval, value: {parameter: 0.5}}
  N: {on_curve: [b, c], curve: {named: oval}, value: {parameter: 0.5}}
"""

CHAINS = """\
linkwork: 1
name: chains
units: {length: mm, angle: deg}
bodies: {stand: {mass: 1}}
joints: {fix: {rigid: [ground, stand]}}
chains:
  standard:
    base: stand
    convention: dh
    rows:
      - {joint: J1, body: L1, theta: 30, d: 100, a: 200, alpha: -90, mass: 2, com: [0, 0, 50], inertia: [1, 1, 1],
         limits: [-170, 170], description: the shoulder}
      - {joint: J2, body: L2, kind: prismatic, d: 300, alpha: 90, limits: {slide: [0, 400]}, density: 2700,
         solids: [{box: [10, 20, 30]}], accept_unphysical: false}
  craig:
    convention: dh_craig
    rows:
      - {joint: C1, body: M1, theta: 30}
      - {joint: C2, body: M2, alpha: -90, a: 10, d: 5, kind: prismatic}
  hayati:
    convention: hayati
    rows: [{joint: H1, body: N1, theta: 30, a: 100, alpha: 1, beta: 2}]
  sheth:
    convention: sheth_uicker
    rows:
      - {joint: S1, body: O1, gamma: 10, c: 20, alpha: 30, a: 40, beta: 50, b: 60, value: 15}
      - {joint: S2, body: O2, a: 40, kind: prismatic, value: {slide: 5}}
"""

WORDS = """\
# Names that other readers of YAML take for something else, comments, anchors and quotes.
linkwork: 1
name: 1
ground: no
units: &units {length: mm}
bodies:
  1: &light {mass: 1 g, com: &middle [1, 2, 3]}
  on: *light
  yes: {mass: "2", com: *middle}
  007: {mass: 0.5}
  "null": {mass: +.5e1}
  Kurbel-ä: {mass: 1.}
joints:
  2: {revolute: [no, 1], at: [0, 0, 0]}
  off: {revolute: [1, on], at: [10, 0, 0], description: '1e5'}
  y: {revolute: [on, yes], at: [20, 0, 0], description: "a: b # c\\nd"}
  n: {revolute: [yes, 007], at: [30, 0, 0], description: no}
  z: {revolute: [007, "null"], at: [40, 0, 0]}
  ü: {revolute: ['null', Kurbel-ä], at: [50, 0, 0]}
"""

LOADS = """\
linkwork: 1
name: loads
units: {length: mm, angle: deg, force: N}
gravity: [0, -9.81 m/s^2, {table: [[0, 0], [2, 1 m/s^2]], smooth: true}]
bodies:
  crank: {mass: 9.65 lbf, com: [25, 0, 0]}
  rod: {mass: 1/2 lbm, com: [125, 0, 0]}
  piston: {mass: 20 N}
  cap: {mass: 1}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod], at: [50, 0, 0], axis: z}
  C: {revolute: [rod, piston], at: [250, 0, 0], axis: z}
  my-slide: {prismatic: [ground, piston], at: [250, 0, 0], axis: x}
  E: {cylindric: [piston, cap], at: [250, 0, 0], axis: x}
points:
  P: {on: piston, at: [250, 0, 0]}
  Q: {on: ground, at: [400, 0, 0]}
springs:
  coil:
    between: [P, Q]
    stiffness: 12 N/mm
    free: 80
    damping: 3 N s/m
    preload: 5
    law: {table: [[0, 0], [10, 5], [20 mm, 12 N]], over: x, smooth: true}
  hinge: {joint: A, stiffness: 2 N m/deg, free: -30, law: "2*x**3 + v*rate('my-slide')", description: a clock spring}
  buffer: {joint: E.slide, stiffness: -1 kN/m, preload: 4 lbf}
dampers:
  dash: {between: [P, Q], damping: 0.003, description: oil}
  brake: {joint: B, law: {formula: 0.1*v**3, unit: N mm}}
friction:
  guide: {joint: my-slide, coefficient: 0.1, normal: {formula: 20 + abs(C), unit: kN}, speed: 2 mm/s}
  bush: {joint: B, coefficient: 15 %, radius: 4, normal: 20 N}
  pin: {joint: A.angle, level: [100, 0.2 N m], static: 1.2, viscous: 1 N m s/rad, form: exact, description: dry}
motors:
  drive:
    joint: A
    ratio: -62.6
    rotor_inertia: 2e-4 kg m^2
    damping: 1e-3 N m s/rad
    friction: [0.1 N m, 12 ozf in]
    efficiency: 0.9
    stall: 4 N m
    no_load: 3000 rpm
    peak: 6 N m
    top_speed: 3500 rpm
    description: brushless
  push: {joint: E.slide, ratio: 100 rev/m}
forces:
  gas: {point: P, along: -x, on: piston, amount: {formula: 3*sin(A) + 'my-slide.slide', unit: 1.5 kN}, description: hot}
  pull: {point: P, toward: [P, Q], amount: 1/2 kgf}
torques:
  wind: {body: crank, about: [3, 0, 4], amount: 5 - 2*t + E.angle, description: gusts}
  couple: {body: rod, about: z, on: crank, amount: "2"}
  twist: {body: rod, toward: [P, Q], amount: 1e3}
loads:
  cutting: {joint: A, amount: {table: [[0, 0], [90, 5 N m]], over: A}, description: a sheet}
  braking: {joint: my-slide, amount: {table: [[-1 m/s, 3], [1 m/s, -3]], over: rate(my-slide.slide)}}
"""

CONSTRAINTS = """\
linkwork: 1
name: constraints
units: {length: mm, angle: deg}
bodies:
  a: {mass: 1, com: [20, 0, 0]}
  b: {mass: 1, com: [60, 0, 0]}
  sleigh: {mass: 2, inertia: [1e5, 1e5, 2e5]}
joints:
  A: {revolute: [ground, a], at: [0, 0, 0], axis: z}
  B: {revolute: [a, b], at: [40, 0, 0], axis: z}
  F: {flat: [ground, sleigh], at: [0, 0, 0], axis: z}
points:
  P: {on: b, at: [80, 0, 0]}
  S: {on: sleigh, at: [0, 0, 0]}
couplings:
  tendon: {joint: B, law: ratio*A + offset, parameters: {ratio: 0.7, offset: 5 deg}, description: a finger}
constraints:
  track: {expression: P.x - F.x - gap, parameters: {gap: 80 mm}, description: a guide}
velocities:
  blade: {expression: rate(S.x)*sin(F.angle) - rate(S.y)*cos(F.angle), parameters: {}, description: glides}
"""

STATES = """\
linkwork: 1
name: states
units: {length: mm, angle: deg}
bodies:
  rotor: {mass: 2 kg, inertia: [0.01 kg m^2, 0.01 kg m^2, 0.02 kg m^2]}
  slider: {mass: 3 kg}
joints:
  A: {revolute: [ground, rotor], axis: z}
  S: {prismatic: [ground, slider], axis: x}
states:
  i:
    rate: (u - R*i - k*rate(A))/L
    start: 250 mA
    unit: A
    scale: 10
    parameters: {u: 12, R: 1.2 ohm, k: 50 mV s/rad, L: 3 mH}
    description: the current
  smooth: {rate: (i - smooth)*bandwidth, unit: A, parameters: {bandwidth: 200/s}}
  heat: {rate: {formula: i.R*i**2/120, unit: 1 mK/s}, start: 293 K, unit: K}
  leak: {rate: {table: [[0 A, 0], [2 A, 3 kPa/s]], over: i}, unit: Pa, scale: 1 bar}
  wear: {rate: {table: [[0, 0], [90 deg/s, 1/s]], over: rate(A), smooth: true}}
  ramp: {rate: 2}
loads:
  motor: {joint: A, amount: i.k*i}
  choke: {joint: S, amount: {table: [[0 kPa, 0], [1 kPa, 2 N]], over: leak}}
"""

STRETCHES = """\
linkwork: 1
name: stretches
units: {length: mm}
bodies:
  arm: {mass: 2 kg, com: [50, 0, 0], inertia: [10, 2000, 2000]}
joints:
  A: {revolute: [ground, arm], axis: z}
stretches:
  long: {body: arm, start: [0, 0, 0], end: [100, 0, 0], description: along the arm}
  shear: {body: arm, start: [0, 0, 0], end: [100, 0, 0], toward: [0, 1, 0]}
"""

LETS = """\
linkwork: 1
name: dimensions
units: {length: mm, angle: deg}
let:
  crank: 50
  rod: 4*crank
  tilt: {value: 30, description: of the crank in the layout}
bodies:
  crank: {mass: 800 g, com: [crank/2*cos(tilt), crank/2*sin(tilt), 0]}
  rod: {mass: 500 g, com: [crank*cos(tilt), 0, 0]}
joints:
  A: {revolute: [ground, crank], at: [0, 0, 0], axis: z}
  B: {revolute: [crank, rod], at: [crank*cos(tilt), crank*sin(tilt), 0], axis: z, limits: [-2*tilt, 170]}
points:
  P: {on: rod, at: [crank*cos(tilt) + rod, crank*sin(tilt) + 5, 0]}
"""

CASES = """\
linkwork: 1
name: pressed
include: []
planar: true
units: {length: mm, angle: deg}
gravity: [0, -9.81 m/s^2]
let: {crank: 40}
places: {O: [0, 0], B: [crank, 0]}
bodies:
  crank: {mass: 1 kg, bar: [O, B]}
  weight: {mass: 2 kg, com: B, inertia: 400}
joints:
  A: {pin: [ground, crank], at: O}
  B: {hinge: [crank, weight], at: B}
points:
  P: {on: weight, at: [60, 0]}
  Q: {on: ground, at: [200, 200]}
cylinders:
  lift: {between: [Q, P], masses: [3 kg, 2 kg], length: [100, 400], description: hydraulic}
repeat:
  links:
    for: k
    to: 2
    bodies: {"link{k}": {mass: 0.1, bar: [["100*{k}", 0], ["100*{k} + 100", 0]]}}
    joints: {"J{k}": {pin: [ground, "link{k}"], at: ["100*{k}", 0]}}
states:
  i: {rate: -i, unit: A}
loads:
  gas: {joint: A, amount: 1 N m}
cases:
  press:
    set: {crank: 50, weight.mass: 1 kg}
    limits: {A: [-90, 120]}
    start: {A: 30}
    rates: {A: 30 rpm}
    states: {i: 0.5 A}
    drive: {B: "0:20 in 1s"}
    efforts: {A: 2 N m}
    external: {P: [0, -10 N, 0]}
    stop: [A <= 110; restitution 0.4]
    when: "P.y > 50: off gas; once"
    at: ["0.1 s: set weight.mass = 2 kg"]
    off: gas
    duration: 1 s
    until: 0.2 s
    samples: 21
    units: {length: mm, angle: deg}
    description: everything at once
"""

GOOD = {
    "cases": CASES,
    "lets": LETS,
    "states": STATES,
    "stretches": STRETCHES,
    "loads": LOADS,
    "design": DESIGN,
    "bodies": BODIES,
    "placements": PLACEMENTS,
    "joints": JOINTS,
    "gears": GEARS,
    "contacts": CONTACTS,
    "chains": CHAINS,
    "constraints": CONSTRAINTS,
    "words": WORDS,
}
"""Documents that load; all keys of all entries occur in them, apart from those of meshes."""
