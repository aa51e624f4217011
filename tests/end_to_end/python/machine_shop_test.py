"""The example of a machine shop: the same parts on every engine, and as many as a model in SimPy makes."""

import importlib.util
import math
import random
import statistics

import numpy as np
import pytest
from machine_shop import (
    FOUR_WEEKS,
    MACHINES,
    MEAN_TIME_TO_FAILURE,
    PART_DEVIATION,
    PART_MEAN,
    REPAIR,
    parts_made,
)

needs_numba = pytest.mark.skipif(not importlib.util.find_spec("numba"), reason="numba is not installed")


@needs_numba
@pytest.mark.parametrize("workers", [{"threads": 2}, {"processes": 2}])
def test_every_engine_makes_the_same_parts(workers):
    alone = parts_made(seed=3)
    assert (parts_made(seed=3, **workers) == alone).all()
    assert (alone > 3000).all()


def parts_by_simpy(seed):
    simpy = pytest.importorskip("simpy")
    draw = random.Random(seed)
    shop = simpy.Environment()
    repairman = simpy.Resource(shop)

    class Machine:
        def __init__(self):
            self.parts, self.broken = 0, False
            self.work = shop.process(self.make_parts())
            shop.process(self.fail())

        def make_parts(self):
            while True:
                remaining = draw.normalvariate(PART_MEAN, PART_DEVIATION)
                while remaining > 0:
                    began = shop.now
                    try:
                        yield shop.timeout(remaining)
                        remaining = 0
                    except simpy.Interrupt:
                        remaining -= shop.now - began
                        self.broken = True
                        with repairman.request() as turn:
                            yield turn
                            yield shop.timeout(REPAIR)
                        self.broken = False
                self.parts += 1

        def fail(self):
            while True:
                yield shop.timeout(draw.expovariate(1 / MEAN_TIME_TO_FAILURE))
                if not self.broken:
                    self.work.interrupt()

    machines = [Machine() for _ in range(MACHINES)]
    shop.run(until=FOUR_WEEKS)
    return [machine.parts for machine in machines]


@needs_numba
def test_as_many_parts_as_a_model_in_simpy():
    """Compare the means of replicates. Seeds are fixed, so the outcome is too; a difference of 2 % is always found."""
    samples = [[float(np.mean(make(seed))) for seed in range(40)] for make in (parts_made, parts_by_simpy)]
    mean, other = map(statistics.mean, samples)
    error = math.sqrt(sum(statistics.variance(sample) / len(sample) for sample in samples))
    assert error < 0.004 * mean
    assert abs(mean - other) < 3.3 * error, (mean, other, error)
