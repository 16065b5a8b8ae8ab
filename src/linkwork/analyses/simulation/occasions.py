"""What is done at an event, as far as compiled functions have not done it: functions of a simulation on its way."""

from __future__ import annotations

from collections.abc import Sequence

from linkwork.analyses.simulation.actions import act
from linkwork.analyses.simulation.halt import Halt
from linkwork.analyses.simulation.journey import Journey
from linkwork.analyses.simulation.jump_sides import chattering, jumped, remedy, smooth
from linkwork.analyses.simulation.listeners import Watch
from linkwork.analyses.simulation.records import done
from linkwork.analyses.simulation.relief import relieved
from linkwork.model.events import Actions, At, When


def take_place(journey: Journey, which: int, event: At) -> None:
    """Do what an event at a given time is for; which : its number among these."""
    from linkwork.numerics.stepping.instants import timed

    if journey.modes.acts_alone(event):
        journey.heard()
        _go_on(journey, timed(journey.p, journey.active, journey.state, journey.z, which), event)
    else:
        act(journey, event)
    journey.turned()


def _go_on(journey: Journey, code: int, event: When | At) -> None:
    """After an event that compiled functions have done: on, or the run ends with it."""
    from linkwork.numerics.stepping.active_rows import ENDED

    journey.heard()
    if code == ENDED:
        journey.turned()
        raise Halt(f"{done(journey.t, event).name} at {journey.t:.6g} s")


def follow(journey: Journey, looks: bool) -> None:
    """What follows at once from a jump; looks : whether there may be something."""
    from linkwork.numerics.stepping import advance as loop
    from linkwork.numerics.stepping.active_rows import OK
    from linkwork.numerics.stepping.driver import follow_up
    from linkwork.numerics.stepping.instants import at_once

    while looks:
        if journey.listener is not None:
            if not at_once(journey.p, journey.active, journey.state, journey.z, journey.f):
                return
            looks = deal_with(journey, loop.EVENT, True)
            continue
        code = follow_up(journey.p, journey.active, journey.state, journey.z, journey.f)
        journey.heard()
        if code == OK:
            return
        looks = deal_with(journey, code, True)


def deal_with(journey: Journey, code: int, follows: bool) -> bool:
    """Deal with what has fired at this instant, as far as compiled functions have not; code : why they came back.

    Returns whether something may follow from it at once.
    """
    from linkwork.numerics.stepping import active_rows as on
    from linkwork.numerics.stepping.advance import EVENT
    from linkwork.numerics.stepping.instants import deal

    fired = journey.modes.fired(journey.active)
    if code == EVENT and journey.listener is not None:
        journey.listener.before_event(fired, follows)
    while code not in (on.OK, on.ACT):
        if code == on.HARD:
            _answer(journey)
        elif code == on.SWITCHES:
            _switched(journey, [w for w in fired if w.what == "jump"])
        elif code == on.CROWDS:
            _crowded(journey)
        elif code == on.ENDED:  # in order of the events: the last one that was logged
            journey.heard()
            raise Halt(f"{journey.journal.happened[-1].name} at {journey.t:.6g} s")
        code = deal(journey.p, journey.active, journey.state, journey.z)
        journey.heard()
    if code == on.ACT:
        for w in fired:
            if w.what == "when":
                _crossed(journey, w)
    on.write_watches(journey.p, journey.active, journey.t, journey.z)
    if journey.listener is not None:
        journey.listener.after_event()
    return True


def _crossed(journey: Journey, w: Watch) -> None:
    """A condition has crossed zero."""
    from linkwork.numerics.stepping.instants import counts, crossed

    event = journey.modes.whens[w.which]
    if journey.modes.acts_alone(event):
        _go_on(journey, crossed(journey.p, journey.active, journey.state, journey.z, w.which, w.sign), event)
        if event.actions != Actions():
            journey.turned()
    elif counts(journey.active, w.which, w.sign):
        act(journey, event)
        journey.turned()


def _switched(journey: Journey, jumps: Sequence[Watch]) -> None:
    """Formulas jump; those that would jump back at once are smoothed from now on."""
    from linkwork.numerics.stepping.active_rows import JUMP, WHAT

    formulas = journey.machine.plan.switched
    for own in jumped(journey, journey.active, jumps):
        if journey.listener is not None:
            journey.listener.chatters(own)
        width = smooth(journey, journey.active, own)
        told = f"{chattering(formulas, journey.t, own)}: the jump is smoothed over {width:.2g}"
        journey.warnings.append(f"{told}; {remedy(formulas, own)}")
    journey.active.fired[journey.active.whose[:, WHAT] == JUMP] = 0


def _answer(journey: Journey) -> None:
    """Whether frictions that have given way are relieved by others."""
    from linkwork.numerics.stepping.active_rows import ANSWERED, FRICTIONS, TOUCHED

    active = journey.active
    m, n = int(active.counts[FRICTIONS]), int(active.counts[TOUCHED])
    of = active.question_of[: m + n]
    found = relieved(active.question[: m + n, : m + n], of[:, 0], of[:m, 1:3], of[:m, 3], of[m:, 3])
    active.counts[ANSWERED] = 2 if found is None else 1
    active.answer[: m + n] = 0.0 if found is None else found


def _crowded(journey: Journey) -> None:
    """Events crowd together without end."""
    from linkwork.numerics.stepping.active_rows import CROWDED, RECENT

    journey.heard()
    since = journey.active.recent[int(journey.active.counts[RECENT]) % CROWDED, 0]
    names = ", ".join(dict.fromkeys(h.name for h in journey.journal.happened[-10:]))
    text = f"{CROWDED} events within {journey.t - since:.3g} s at {journey.t:.6g} s ({names})"
    raise Halt(f"{text}: they follow each other without end")
