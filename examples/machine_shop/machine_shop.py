"""A machine shop: machines break while they make parts, and one repairman repairs them in the order of their failures.

The shop of SimPy's documentation, with its figures: ten machines make parts in 10 +- 2 minutes, and each breaks 300
minutes after its last failure in the mean. A repair takes 30 minutes. A repaired machine completes the part that
it was making. The repairman's other jobs wait while a machine is broken, so they have no influence and are left out.

Each machine and the repairman are logical processes. It takes a second until the repairman knows of a failure.
"""

import math

import laxity

MACHINES = 10
REPAIRMAN = MACHINES  # the last logical process
PART_MEAN, PART_DEVIATION = 10.0, 2.0
MEAN_TIME_TO_FAILURE = 300.0
REPAIR = 30.0
MESSAGE = 1.0 / 60.0
FOUR_WEEKS = 4 * 7 * 24 * 60.0

PART, FAILURE, REPAIRED, BROKEN = range(4)  # kinds of events: three of a machine, one of the repairman


def part_time(first, second):
    """Return the minutes that a part takes: of a normal distribution, by Box and Muller's method."""
    return PART_MEAN + PART_DEVIATION * math.sqrt(-2 * math.log(1 - first)) * math.cos(2 * math.pi * second)


def time_to_failure(uniform):
    """Return the minutes until a machine breaks, if it is not broken then."""
    return -MEAN_TIME_TO_FAILURE * math.log(1 - uniform)


try:
    import numba

    part_time, time_to_failure = numba.njit(part_time), numba.njit(time_to_failure)
except ImportError:
    pass


def start(lp, state):
    """Every machine begins a part."""
    if lp.self == REPAIRMAN:
        return
    state.remaining = part_time(lp.random_unit(), lp.random_unit())
    part = lp.event()
    lp.send(lp.self, state.remaining, part)
    failure = lp.event()
    failure.kind = FAILURE
    lp.send(lp.self, time_to_failure(lp.random_unit()), failure)


def handle(lp, state, event):
    """Handle an event of a machine, or a machine that is broken."""
    if event.kind == BROKEN:
        begin = max(lp.now, state.free_at)
        state.free_at = begin + REPAIR
        repaired = lp.event()
        repaired.kind = REPAIRED
        lp.send(event.machine, state.free_at - lp.now, repaired)
    elif event.kind == PART:
        if event.interruptions != state.interruptions:
            return  # the machine broke before this part was complete
        state.parts += 1
        state.remaining = part_time(lp.random_unit(), lp.random_unit())
        state.began = lp.now
        part = lp.event()
        part.interruptions = state.interruptions
        lp.send(lp.self, state.remaining, part)
    elif event.kind == FAILURE:
        failure = lp.event()
        failure.kind = FAILURE
        lp.send(lp.self, time_to_failure(lp.random_unit()), failure)
        if state.broken:
            return
        state.broken = 1
        state.interruptions += 1
        state.remaining -= lp.now - state.began
        broken = lp.event()
        broken.kind = BROKEN
        broken.machine = lp.self
        lp.send(REPAIRMAN, MESSAGE, broken)
    else:
        state.broken = 0
        state.began = lp.now
        rest = lp.event()
        rest.interruptions = state.interruptions
        lp.send(lp.self, state.remaining, rest)


SHOP = laxity.Model(
    state=[
        ("parts", "i8"),
        ("interruptions", "i8"),
        ("began", "f8"),  # the current part, or its rest
        ("remaining", "f8"),  # minutes of the current part when it began
        ("free_at", "f8"),  # of the repairman
        ("broken", "i4"),
    ],
    event=[("kind", "i4"), ("machine", "i4"), ("interruptions", "i8")],
    init=start,
    handle=handle,
    lookahead=MESSAGE,
)


def parts_made(seed, **workers):
    """Return the parts that each machine makes in four weeks."""
    return laxity.simulate(SHOP, MACHINES + 1, FOUR_WEEKS, seed=seed, **workers).states["parts"][:MACHINES]


if __name__ == "__main__":
    for machine, parts in enumerate(parts_made(seed=1, threads=2)):
        print(f"machine {machine} made {parts} parts")
