"""Machine code: CasADi functions become kernels that run singly, in batches and on all cores.

kernel = Kernel(function)
tau = kernel(q, v, a)             # arrays of any leading shape
kernel.call(q, v, a)              # one sample, least cost
kernel.address                    # for compiled loops
"""

from linkwork.kernels.batch import ArgumentError
from linkwork.kernels.kernel import Kernel
from linkwork.kernels.tape import Block, Tape, TapeError, make_tape

__all__ = ["ArgumentError", "Block", "Kernel", "Tape", "TapeError", "make_tape"]
