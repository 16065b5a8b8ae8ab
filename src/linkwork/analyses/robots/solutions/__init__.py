"""All solutions of inverse kinematics.

`serial_chains` finds the joints on the way to a target, `problems` makes six of them, `closed_forms` (on `places` and
`scalars`, compiled by `traced`) and `elimination` (on `line_moments`) are the ways to solve, `solver` puts them to work
for many goals, `asked` for a machine, `found` is what comes out.
"""
