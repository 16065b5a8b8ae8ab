"""All solutions of inverse kinematics.

`serial_chains` finds the joints on the way to a target, `families` which closed form they have; `wrists`, `three_parallel`
and `elimination` are the ways to solve, `asked` puts them to work for a machine, `found` is what comes out.
"""
