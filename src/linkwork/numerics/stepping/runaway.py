"""Runs that lead nowhere: rates that grow beyond those of any machine, and ends that are out of reach.

A rate is quick where it is beyond its pace (`Problem.pace`), or, of a run that begins so, far beyond that of the start;
a named state likewise where it is beyond all that its unit measures.
A machine may be quick for a while, as next to a singular posture; one that stays so takes ever shorter steps.
"""

from __future__ import annotations

from linkwork.numerics.loops import loop

ON, RUNAWAY, ENDLESS = 0, 8, 9
"""What comes of a step: on; rates run away; the steps are so short that the end is out of reach. Beside the reasons of
`advance`."""
BEHIND, STATES = 18, 24
END, QUICK, SINCE, SINCE_STEPS, MARK, MARK_STEPS = range(BEHIND, STATES)
"""What is known of a run, behind the numbers of `advance`: its end; from how many times their pace on rates are quick
(0: not known yet); since when they are (0: they are not), and steps then; time and steps when it was last looked how
far steps lead."""
GROWN = 100.0
"""How many times the quickest rate of the start others may be, if that is quick already."""
PATIENCE = 5000.0
"""Steps that are taken while rates are quick."""
ABSURD = 1e6
"""How many times too quick they are where no further step is taken."""
LOOKS, ENOUGH = 1e6, 5e6
"""Steps after which it is looked how far they lead, and those that every run may have."""
REACH = 1e9
"""Steps from the end at which a run that had enough of them gives up."""
OUT_OF_REACH = 1e8
"""Steps that would be left at the pace of the last ones from which a run is asked whether it gets on at all."""


@loop
def haste(pace, z):  # type: ignore[no-untyped-def]
    """The quickest of rates and named states, the last numbers of z, in parts of its pace."""
    found, first = 0.0, z.size - pace.size
    for i in range(pace.size):
        found = max(found, abs(z[first + i]) / pace[i])
    return found


@loop
def note_start(pace, state, z):  # type: ignore[no-untyped-def]
    """Look at the rates of the start."""
    if state[QUICK] == 0.0:
        state[QUICK] = max(1.0, GROWN * haste(pace, z))


@loop
def verdict(pace, state, t, steps, z):  # type: ignore[no-untyped-def]
    """What comes of a step that led to z at time t; steps : so far."""
    quick = haste(pace, z)
    if quick > state[QUICK]:
        if state[SINCE] == 0.0:
            state[SINCE], state[SINCE_STEPS] = t, steps
        if steps - state[SINCE_STEPS] > PATIENCE or quick > ABSURD * state[QUICK]:
            return RUNAWAY
    else:
        state[SINCE] = 0.0
    if steps - state[MARK_STEPS] >= LOOKS:
        led = t - state[MARK]
        state[MARK], state[MARK_STEPS] = t, steps
        if steps >= ENOUGH and (state[END] - t) * LOOKS > led * REACH:
            return ENDLESS
    return ON
