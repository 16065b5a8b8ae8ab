"""Places for values that live for a while: a place is used again when its value has died."""

from __future__ import annotations

import heapq


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
