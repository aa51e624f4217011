"""Simulation models in Python: compiled and not, the same events on every engine, errors in one line."""

# The functions of a model have fixed arguments.
# ruff: noqa: ARG001
import importlib.util
import math
import os
import random
import re
import traceback

import numpy as np
import pytest

import laxity

needs_numba = pytest.mark.skipif(not importlib.util.find_spec("numba"), reason="numba is not installed")
COMPILED = [pytest.param(True, marks=needs_numba, id="compiled"), pytest.param(False, id="python")]


def open_shop(lp, state):
    first = lp.event()
    first.customer = lp.self
    lp.send(lp.self, 1 + lp.random_unit(), first)


def serve(lp, state, event):
    begin = max(lp.now, state.free_at)
    browsing = -5 * math.log(1 - lp.random_unit())
    state.free_at = begin + 2
    state.served += 1
    lp.send((lp.self + 1) % lp.logical_processes, begin + 2 + browsing - lp.now, event)


SHOPS = laxity.Model(
    state=[("served", "i8"), ("free_at", "f8")], event=[("customer", "i8")], init=open_shop, handle=serve
)


WORKERS = [{}, {"threads": 1}, {"threads": 2}, {"processes": 2}, {"threads": 2, "processes": 2}]


@needs_numba
@pytest.mark.parametrize("workers", WORKERS)
def test_every_engine_serves_the_customers_of_the_example(workers):
    result = laxity.simulate(SHOPS, 100, 600.0, digest=True, **workers)
    assert result.committed == 8335, "as examples/time_warp_model and examples/c_model"
    assert result.states["served"][0] == 85
    assert result.states["served"].sum() == 8335
    assert result.digest == laxity.simulate(SHOPS, 100, 600.0, digest=True).digest
    assert result.processed == result.committed + result.rolled_back
    assert 0 < result.efficiency <= 1


def test_without_a_compiler_the_example_is_the_same():
    alone = laxity.simulate(SHOPS, 20, 60.0, digest=True, compiled=False)
    together = laxity.simulate(SHOPS, 20, 60.0, digest=True, compiled=False, threads=2)
    assert alone.committed == together.committed == alone.states["served"].sum() > 100
    assert alone.digest == together.digest
    with pytest.raises(laxity.UsageError, match="install numba"):
        laxity.simulate(SHOPS, 20, 60.0, compiled=False, processes=2)


@needs_numba
def test_compiled_or_not_a_model_commits_the_same_events():
    runs = [laxity.simulate(SHOPS, 20, 60.0, seed=9, digest=True, compiled=compiled) for compiled in (True, False)]
    assert runs[0].digest == runs[1].digest != 0
    assert (runs[0].states == runs[1].states).all()
    assert runs[0].digest != laxity.simulate(SHOPS, 20, 60.0, seed=8, digest=True).digest


def recorded(process, time, event, record):
    record.customer = event.customer
    record.hour = time / 60
    record.shop = process


RECORDED = laxity.Model(
    SHOPS.state, SHOPS.event, open_shop, serve, 0.0, [("customer", "i4"), ("shop", "u1"), ("hour", "f8")], recorded
)


def served(compiled, end_time=60.0, **workers):
    result = laxity.simulate(RECORDED, 20, end_time, compiled=compiled, **workers)
    assert result.commits.dtype.names == ("process", "time", "customer", "shop", "hour")
    assert len(result.commits) == result.committed
    assert np.bincount(result.commits["process"], minlength=20).tolist() == result.states["served"].tolist()
    assert (result.commits["shop"] == result.commits["process"]).all()
    assert np.allclose(result.commits["hour"] * 60, result.commits["time"])
    assert (np.diff(result.commits["time"]) >= 0).all()
    return result.commits


@pytest.mark.parametrize("compiled", COMPILED)
def test_what_is_recorded_of_commits_is_the_same_for_every_engine(compiled):
    alone = served(compiled)
    assert set(alone["customer"]) == set(range(20))
    for workers in [{"threads": 2}, {"processes": 2}, {"threads": 2, "processes": 2}][: 3 if compiled else 1]:
        assert (served(compiled, **workers) == alone).all(), workers


@needs_numba
def test_compiled_or_not_a_model_records_the_same():
    assert (served(True) == served(False)).all()


@needs_numba
def test_more_records_than_a_block_and_runs_one_after_another():
    first, second = served(True, 600.0, threads=2), served(True, 600.0, threads=3)
    assert len(first) > 1000
    assert (first == second).all()


@pytest.mark.parametrize("compiled", COMPILED)
def test_events_of_one_time_are_recorded_in_the_order_of_processes(compiled):
    def start(lp, state):
        event = lp.event()
        event.customer = lp.self
        lp.send((lp.self + 1) % lp.logical_processes, 1.0, event)

    model = laxity.Model(SHOPS.state, SHOPS.event, start, ignore, 0.0, [("customer", "i8")], copied)
    for workers in ({}, {"threads": 2}):
        commits = laxity.simulate(model, 5, 2.0, compiled=compiled, **workers).commits
        assert commits["process"].tolist() == [0, 1, 2, 3, 4]
        assert commits["customer"].tolist() == [4, 0, 1, 2, 3]


def ignore(lp, state, event):
    pass


def copied(process, time, event, record):
    record.customer = event.customer


def test_what_commit_raises_is_the_cause():
    def fails(process, time, event, record):
        raise ValueError("of mine")

    model = laxity.Model(SHOPS.state, SHOPS.event, open_shop, serve, 0.0, [("customer", "i8")], fails)
    with pytest.raises(laxity.ModelError, match=r"commit\(\): ValueError: of mine") as caught:
        laxity.simulate(model, 3, 10.0, compiled=False)
    assert isinstance(caught.value.__cause__, ValueError)


@needs_numba
def test_a_commit_that_cannot_be_compiled_is_named():
    def misnamed(process, time, event, record):
        record.nothing = 1

    model = laxity.Model(SHOPS.state, SHOPS.event, open_shop, serve, 0.0, [("customer", "i8")], misnamed)
    with pytest.raises(laxity.ModelError, match=r"misnamed\(\) in .*numba cannot compile it"):
        laxity.simulate(model, 3, 10.0)


def test_records_and_commit_come_together():
    assert laxity.simulate(SHOPS, 2, 1.0, compiled=False).commits is None
    with pytest.raises(laxity.UsageError, match="record and commit"):
        laxity.Model(SHOPS.state, SHOPS.event, open_shop, serve, commit=copied)
    with pytest.raises(laxity.UsageError, match="record: every record has a field time already"):
        laxity.Model(SHOPS.state, SHOPS.event, open_shop, serve, 0.0, [("time", "f8")], copied)
    with pytest.raises(laxity.UsageError, match="record = "):
        laxity.Model(SHOPS.state, SHOPS.event, open_shop, serve, 0.0, "i8", copied)


LARGE = [("sums", "i8", 100), ("handled", "i8")]


def start_large(lp, state):
    for number in range(3):
        event = lp.event()
        event.customer = number
        lp.send(lp.self, 1 + lp.random_unit(), event)


def add_large(lp, state, event):
    state.sums[event.customer % 100] += event.customer + 1
    state.handled += 1
    sent = lp.event()
    sent.customer = event.customer + lp.random_below(40)
    lp.send(lp.random_below(lp.logical_processes), lp.random_unit() + 0.01, sent)


def subtract_large(lp, state, event):
    state.sums[event.customer % 100] -= event.customer + 1
    state.handled -= 1


def forget_large(lp, state, event):
    state.handled -= 1


def large_model(reverse):
    return laxity.Model(LARGE, [("customer", "i8")], start_large, add_large, reverse=reverse)


@pytest.mark.parametrize("compiled", COMPILED)
def test_large_states_are_reversed(compiled):
    end_time = 30.0 if compiled else 4.0
    expected = laxity.simulate(large_model(None), 20, end_time, digest=True, compiled=compiled)
    assert expected.committed > 200
    for workers in ({}, {"threads": 2}, {"threads": 3}):
        result = laxity.simulate(large_model(subtract_large), 20, end_time, digest=True, compiled=compiled, **workers)
        assert result.digest == expected.digest, workers
        assert (result.states == expected.states).all(), workers


@pytest.mark.parametrize("compiled", COMPILED)
def test_check_finds_an_incomplete_reverse(compiled):
    laxity.check(large_model(subtract_large), 20, 5.0, compiled=compiled)
    with pytest.raises(laxity.ModelError, match="does not restore the state"):
        laxity.check(large_model(forget_large), 20, 5.0, compiled=compiled)


def test_check_finds_a_handler_with_a_memory_of_its_own():
    calls = []

    def remembers(lp, state, event):
        calls.append(lp.now)
        state.served = len(calls)

    laxity.check(SHOPS, 20, 30.0, compiled=False)
    with pytest.raises(laxity.ModelError, match="handled twice from the same state"):
        laxity.check(laxity.Model(SHOPS.state, SHOPS.event, open_shop, remembers), 20, 30.0, compiled=False)
    with pytest.raises(laxity.UsageError, match="seed = -1"):
        laxity.check(SHOPS, 20, 30.0, seed=-1)


PRIME = 1000003
INVERSE = pow(31, -1, PRIME)


def start_random(lp, state):
    """Draw how this process behaves: three instructions for each event, how far and how often it sends, and when."""
    for place in range(8):
        state.program[place] = lp.random_below(5)
    state.reach, state.spread, state.dies = lp.random_below(4), lp.random_below(4), 0.1 * lp.random_unit()
    state.delay, state.jitter = 0.25 * (1 + lp.random_below(6)), 0.5 * lp.random_below(3)
    for number in range(1 + lp.random_below(3)):
        event = lp.event()
        event.value = number + lp.random_below(100)
        lp.send(lp.self, state.delay + state.jitter * lp.random_unit(), event)


def handle_random(lp, state, event):
    for step in range(3):
        instruction, place = state.program[(event.hops + step) % 8], event.value % len(state.seen)
        if instruction == 0:
            state.mixed = (state.mixed + event.value) % PRIME
        elif instruction == 1:
            state.mixed = (state.mixed * 31 + event.value) % PRIME
        elif instruction == 2:
            state.bits ^= event.value
        elif instruction == 3:
            state.seen[place] += event.hops + 1
        else:
            first = state.seen[0]
            state.seen[0] = state.seen[place]
            state.seen[place] = first
    if lp.random_unit() < state.dies:
        return
    for _ in range(2 if event.hops < state.spread else 1):
        sent = lp.event()
        sent.hops = event.hops + 1
        sent.value = (state.mixed + state.bits + state.seen[0]) % PRIME
        to = (lp.self + state.reach) % lp.logical_processes
        if state.reach == 3:
            to = lp.random_below(lp.logical_processes)
        lp.send(to, state.delay + state.jitter * lp.random_unit(), sent)


def reverse_random(lp, state, event):
    for step in range(3):
        instruction, place = state.program[(event.hops + 2 - step) % 8], event.value % len(state.seen)
        if instruction == 0:
            state.mixed = (state.mixed - event.value) % PRIME
        elif instruction == 1:
            state.mixed = (state.mixed - event.value) * INVERSE % PRIME
        elif instruction == 2:
            state.bits ^= event.value
        elif instruction == 3:
            state.seen[place] -= event.hops + 1
        else:
            first = state.seen[0]
            state.seen[0] = state.seen[place]
            state.seen[place] = first


def commit_random(process, time, event, record):
    record.hops = event.hops
    record.value = event.value


def random_models():
    """Make models of random processes: with lookahead, with copied states, with states that are reversed."""
    drawn = [("program", "u1", 8), ("reach", "i4"), ("spread", "i4"), ("dies", "f8"), ("delay", "f8"), ("jitter", "f8")]
    content = [("hops", "i8"), ("value", "i8")]
    for lookahead, places, reverse in [(0.25, 5, None), (0.0, 5, None), (0.0, 90, reverse_random)]:
        state = [*drawn, ("mixed", "i8"), ("bits", "i8"), ("seen", "i8", places)]
        yield laxity.Model(state, content, start_random, handle_random, lookahead, content, commit_random, reverse)


RANDOM_MODELS = list(random_models())


@needs_numba
@pytest.mark.parametrize("seed", range(20 * int(os.environ.get("LAXITY_EFFORT", "1"))))
def test_random_models_commit_what_the_sequential_engine_commits(seed):
    draw = random.Random(seed)
    model, processes, end_time = RANDOM_MODELS[seed % 3], draw.randint(2, 16), draw.uniform(5, 15)
    expected = laxity.simulate(model, processes, end_time, seed=seed, digest=True)
    assert expected.committed > 0
    assert len(expected.commits) == expected.committed
    laxity.check(model, processes, end_time, seed=seed)
    for options in ({"threads": 2}, {"threads": 3}, {"processes": 2}, {"compiled": False}):
        result = laxity.simulate(model, processes, end_time, seed=seed, digest=True, **options)
        assert result.digest == expected.digest, options
        assert (result.states == expected.states).all(), options
        assert (result.commits == expected.commits).all(), options


@pytest.mark.parametrize("size", [40, 41, 256, 1024])
def test_events_of_every_size_class_arrive_whole(size):
    def init(lp, state):
        event = lp.event()
        for place in range(size):
            event.content[place] = place % 251
        lp.send((lp.self + 1) % lp.logical_processes, 1.0, event)

    def handle(lp, state, event):
        for place in range(size):
            state.sum += event.content[place]

    model = laxity.Model([("sum", "i8")], [("content", "u1", size)], init, handle)
    result = laxity.simulate(model, 3, 2.0, threads=2, compiled=False)
    assert result.states["sum"].tolist() == [sum(place % 251 for place in range(size))] * 3


def nothing(lp, state):
    pass


@pytest.mark.parametrize("compiled", COMPILED)
@pytest.mark.parametrize(
    ("to", "delay", "what"),
    [(9, 1.0, "there is no such process"), (0, -1.0, "an event in the past"), (0, 0.0, "delay is 0")],
)
def test_an_event_that_may_not_be_sent_is_named(compiled, to, delay, what):
    def init(lp, state):
        lp.send(to, delay, lp.event())

    model = laxity.Model(SHOPS.state, SHOPS.event, init, serve)
    for workers in ({}, {"threads": 2}):
        with pytest.raises(laxity.ModelError, match=what) as caught:
            laxity.simulate(model, 2, 10.0, compiled=compiled, **workers)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("threads", [0, 2])
def test_what_a_handler_raises_is_the_cause(threads):
    def fails_here(lp, state, event):
        raise ZeroDivisionError("of mine")

    model = laxity.Model(SHOPS.state, SHOPS.event, open_shop, fails_here)
    with pytest.raises(laxity.ModelError, match="ZeroDivisionError: of mine") as caught:
        laxity.simulate(model, 3, 10.0, threads=threads, compiled=False)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert "in fails_here" in "".join(traceback.format_exception(caught.value.__cause__))


@needs_numba
def test_a_handler_that_cannot_be_compiled_is_named_with_its_line():
    def cannot(lp, state, event):
        state.served += 1
        state.served += len({}.popitem)  # the line to be named

    model = laxity.Model(SHOPS.state, SHOPS.event, open_shop, cannot)
    line = cannot.__code__.co_firstlineno + 2
    with pytest.raises(laxity.ModelError) as caught:
        laxity.simulate(model, 3, 10.0)
    text = str(caught.value)
    assert text.startswith("cannot() in ")
    assert f"{os.path.basename(__file__)}:{line}: numba cannot compile it: " in text
    assert "\n" not in text


@needs_numba
def test_a_field_that_is_not_there_is_named():
    def misspelled(lp, state, event):
        state.server += 1

    with pytest.raises(laxity.ModelError, match=r"AttributeError: .*server"):
        laxity.simulate(laxity.Model(SHOPS.state, SHOPS.event, open_shop, misspelled), 3, 10.0, compiled=False)
    with pytest.raises(laxity.ModelError, match=r"misspelled\(\) in .*numba cannot compile it: .*server"):
        laxity.simulate(laxity.Model(SHOPS.state, SHOPS.event, open_shop, misspelled), 3, 10.0)


@needs_numba
def test_an_event_of_another_type_cannot_be_compiled():
    def wrong(lp, state, event):
        lp.send(lp.self, 1.0, state)

    with pytest.raises(laxity.ModelError, match="the events of the model are"):
        laxity.simulate(laxity.Model(SHOPS.state, SHOPS.event, open_shop, wrong), 3, 10.0)
    with pytest.raises(laxity.ModelError, match="the events of the model are"):
        laxity.simulate(laxity.Model(SHOPS.state, SHOPS.event, open_shop, wrong), 3, 10.0, compiled=False)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"logical_processes": 0}, "logical_processes"),
        ({"logical_processes": -1}, "logical_processes = -1"),
        ({"end_time": 0.0}, "end_time"),
        ({"end_time": math.nan}, "end_time"),
        ({"threads": -1}, "threads = -1"),
        ({"processes": -1}, "processes"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_options_that_make_no_sense_are_named(options, what):
    arguments = {"logical_processes": 2, "end_time": 1.0, "compiled": False} | options
    with pytest.raises(laxity.LaxityError, match=re.escape(what)):
        laxity.simulate(SHOPS, **arguments)


@pytest.mark.parametrize("dtype", ["i8", [("a", "O")], [("a", "no type")], []])
def test_states_and_events_are_structures_of_numbers(dtype):
    with pytest.raises(laxity.UsageError, match="state = "):
        laxity.Model(dtype, [("b", "i8")], nothing, serve)


def test_states_that_are_too_large_are_named():
    model = laxity.Model([("a", "u1", 4097)], [("b", "i8")], nothing, serve)
    with pytest.raises(laxity.LaxityError, match="state_bytes = 4097: must be at most 4096"):
        laxity.simulate(model, 2, 1.0, compiled=False)


def test_states_begin_as_zeros():
    model = laxity.Model([("a", "f8", 3)], [("b", "i8")], nothing, serve)
    assert not np.any(laxity.simulate(model, 4, 1.0, compiled=False).states["a"])
