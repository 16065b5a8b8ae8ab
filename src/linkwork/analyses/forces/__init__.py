"""What forces a motion takes, and what motion forces make.

`trajectory`     a motion as arrays
`states`         states around home that decide how equations are eliminated
`forward`        accelerations from forces, loops closed
`drives`         which joints drive, and how several share the work
`reactions`      efforts and reactions along a motion, and what is statically indeterminate
`external`       wrenches given at run time
`over_run`       all of it over a run
`of_simulation`  all of it over a simulation, whose efforts are known
`statics`        at rest
`accelerations`  accelerations by name
`stiction`       friction that holds
`meshes`         where gears press on each other, and along which directions
`teeth`          forces between teeth over a run
`flanks`         forces with the flank that carries, sample by sample
`contact`        forces of surfaces, curves and cams over a run
`contact_drives` drives that press on a contact as wanted
"""
