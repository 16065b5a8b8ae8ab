"""Steps through time, compiled: methods that integrate a machine's state, and the loop that drives them.

A method is a function `step(p, store, t, h, z, f, z_new, C) -> error`. The machine is a `Problem`: addresses of kernels
with the arrays that they read and write. numba takes long to import: import these modules inside functions only.
"""
