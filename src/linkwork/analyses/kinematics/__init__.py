"""How it closes and moves.

`loops`    the loop equations of a system as numbers; `given_values` values by name, `failures` why it does not go
`assembly` closing them from the layout or a rough guess: `first_posture`, where a machine is put together
`closures` all ways to do so: `closure_search` finds them, `closure_marks` tells them apart, `closure_bounds` proves
               how many there are (`linkage_graph`, `dyads`)
`posture`      a closed posture: mobility (`preference`, `redundancy`), rates, `geometric` derivatives, `joint_limits`
`posture_paths`    from posture to posture along drives; `diagnosis` why a path ends; `nearby_postures`, `idle_freedoms`
`sweep`     many postures at once (`samples`): `interpolation`, `batches` on kernels, `singular_samples` ones with care
`motion`       drives by name, labelled runs; `travel` limits, strokes and full turns
`screw_motion`, `relative_motion`, `grashof`, `slider_cranks`, `four_bars`, `transmission`   what a motion shows
"""
