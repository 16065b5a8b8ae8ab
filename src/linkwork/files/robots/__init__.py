"""Files of other programs: URDF, MJCF, SDF and D-H tables become mechanisms, with a report of what was kept and lost.

`xml`          the text as elements with lines: no entities, no network, bounded
`notes`        what is wrong, and what became of each part
`values`       numbers, directions and names of attributes
`description`  what every such file says: links, joints, relations, frames
`build`        a description becomes a `Mechanism`
`surfaces`     meshes inside given folders, and shapes to be seen
`urdf`, `mjcf`, `sdf`, `tables`  one reader a format
`recognise`    which of them a file is for
"""
