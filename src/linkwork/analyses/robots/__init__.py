"""Robots and their tasks: goals, inverse kinematics, tasks followed in time.

`goals`        what is wanted: places, directions, attitudes, joints, as data
`targets`      points, frames, bodies and centres of mass as kernels: pose and Jacobian in one law
`task_rows`    goals as rows: what is missing, and how it changes with the twist of the target
`bounded`      least squares within limits
`preferences`  what surplus freedoms are used for
`reach`        one posture, loops closed, limits kept; `reached` what is told of it
`reach_many`   thousands of goals in compiled loops
`follow`       tasks in time: postures, rates, accelerations
`solutions`    all postures of a goal: closed forms, elimination, legs of parallel machines
`sheet`        the surface of postures of two freedoms; `covering` samples of it, `curves` zeros of numbers on it
`workspace`    regions that a target reaches, on a `lattice`, with `outlines`
`attitudes`    that a target takes in a region, and `directions` at a place
`singularities` postures at which the task or the drives are lost, as curves
"""
