"""Places for values that live for a while: a place is used again when its value has died."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray


def allocate_slots(lives: dict[int, tuple[int, int]], first: int = 0) -> tuple[dict[int, int], int]:
    """A slot for every value from its (birth, death), and how many slots there are; the lowest free one is taken.

    A slot freed at time t serves values born after t, not at t: what reads and what writes at one time never share.
    """
    slots: dict[int, int] = {}
    free: list[int] = []
    dying: list[tuple[int, int]] = []
    count = 0
    for value, (birth, death) in sorted(lives.items(), key=lambda item: item[1][0]):
        while dying and dying[0][0] < birth:
            heapq.heappush(free, heapq.heappop(dying)[1])
        if free:
            slot = heapq.heappop(free)
        else:
            slot, count = count, count + 1
        slots[value] = first + slot
        heapq.heappush(dying, (death, slot))
    return slots, count


def slots_by_stretch(birth: NDArray[np.int64], death: NDArray[np.int64], stretch: int) -> tuple[NDArray[np.int64], int]:
    """The same for long lists, all values of a stretch of time at once: its slots are free from the next one on."""
    count, top = 0, 0
    slots, free = np.zeros(len(birth), np.int64), np.zeros(len(birth), np.int64)
    if not len(birth):
        return slots, 0
    end = int(death.max()) // stretch + 1
    by_birth, by_death = (np.argsort(times, kind="stable") for times in (birth, death))
    edges = stretch * np.arange(end + 1)
    born = np.searchsorted(birth[by_birth], edges).tolist()
    dead = np.searchsorted(death[by_death], edges).tolist()
    for k in range(end):
        new = by_birth[born[k] : born[k + 1]]
        used = min(top, len(new))
        slots[new[:used]] = free[top - used : top][::-1]
        slots[new[used:]] = np.arange(count, count + len(new) - used)
        top, count = top - used, count + len(new) - used
        gone = by_death[dead[k] : dead[k + 1]]
        free[top : top + len(gone)] = slots[gone]
        top += len(gone)
    return slots, count
