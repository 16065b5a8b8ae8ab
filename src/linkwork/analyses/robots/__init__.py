"""Robots and their tasks: goals, inverse kinematics, tasks followed in time.

`goals`        what is wanted: places, directions, attitudes, joints, as data; `goal_kinds` their records
`targets`      points, frames, bodies and centres of mass as kernels: pose and Jacobian in one law
`task_rows`    goals as rows: what is missing, and how it changes with the twist of the target
`search`       damped steps on closed postures; `bounded` least squares within limits
`preferences`  what surplus freedoms are used for; `improve` moves them
`reach`        one posture, loops closed, limits kept; `reached` what is told of it
`many`         thousands of goals in compiled loops
`asked_task`   tasks in time as they are asked for, `task_motion` their derivatives, `task_rates` those of the joints
`surplus`      of all motions that follow a task the one of least rates
`follow`       tasks in time: postures, rates, accelerations, as a run
`solutions`    all postures of a goal: closed forms, elimination, legs of parallel machines
`sheet`        the surface of postures of two freedoms; `covering` samples of it, `curves` zeros of numbers on it
`workspace`    regions that a target reaches, on a `lattice`, with `outlines`
`attitudes`    that a target takes in a region, and `directions` at a place
`singularities` postures at which the task or the drives are lost, as curves
"""
