"""What the forces of a run mean for links and motors.

`sections`      cross sections: areas, moduli, torsion
`stress`        bending and torsion at both ends of a segment, against allowables
`acting`        what acts on a body over a run: joints and loads
`segments`      a segment of a body over a run
`motors`        torque over speed at the motor's shaft, against its envelope
`power`         power and energy of the drives, with and without recuperation
`asked`         that it is a run which is asked
`plotting`      what their plots share
"""
