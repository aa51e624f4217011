"""Channels of NumPy arrays: views in place, types that are checked, between threads and forked processes."""

import gc
import os
import resource
import threading

import numpy as np
import pytest

import laxity

STRUCTURE = np.dtype([("hops", "u8"), ("position", "f4", 3)])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "uint16", "complex128", "bool", STRUCTURE])
@pytest.mark.parametrize("shape", [(), 1, 8, (3, 5), (2, 3, 4)])
def test_arrays_arrive_as_they_were_put(dtype, shape):
    inlet, outlet = laxity.channel(dtype, shape)
    bits = np.random.default_rng(1).integers(0, 2, np.zeros(shape, dtype).nbytes, dtype="u1")
    array = np.frombuffer(bits.tobytes(), dtype).reshape(shape)
    assert inlet.try_put(array)
    assert outlet.pull() == 1
    view = outlet.get()
    assert view.dtype == array.dtype
    assert view.shape == array.shape
    assert view.tobytes() == array.tobytes()


def test_before_the_first_array_an_outlet_shows_zeros():
    _, outlet = laxity.channel("int32", (2, 2))
    assert outlet.pull() == 0
    assert (outlet.get() == 0).all()


def test_a_full_channel_refuses_and_keeps_what_it_accepted():
    inlet, outlet = laxity.channel("int64", depth=3)
    accepted = [inlet.try_put(np.array(number)) for number in range(5)]
    assert accepted == [True, True, True, False, False]
    for number in range(3):
        assert outlet.try_step() == 1
        assert outlet.get() == number
    assert outlet.try_step() == 0
    assert inlet.counters == {"attempted": 5, "refused": 2, "unchanged": 0}
    assert outlet.counters == {"pulls": 4, "received": 3, "superseded": 0}


@pytest.mark.parametrize("overflow", ["drop_oldest", "latest"])
def test_a_channel_that_overwrites_shows_the_newest(overflow):
    inlet, outlet = laxity.channel("int64", overflow=overflow)
    for number in range(10):
        assert inlet.try_put(np.array(number))
    outlet.pull()
    assert outlet.get() == 9


def test_an_unchanged_array_is_not_sent():
    inlet, outlet = laxity.channel("float64", 4, send_on_change=True)
    for value in (1, 1, 2):
        assert inlet.try_put(np.full(4, float(value)))
    assert outlet.pull() == 2
    assert inlet.counters["unchanged"] == 1


def test_a_view_is_the_frame_and_cannot_be_written():
    inlet, outlet = laxity.channel("float64", 8)
    inlet.try_put(np.arange(8.0))
    outlet.pull()
    first, second = outlet.get(), outlet.get()
    assert np.shares_memory(first, second)
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        first.flags.writeable = True


@pytest.mark.parametrize(
    "derive", [lambda a: a, lambda a: a[2:5], lambda a: a.reshape(2, 4).T, np.asarray, memoryview, iter]
)
@pytest.mark.parametrize("move", [lambda o: o.pull(), lambda o: o.try_step(), lambda o: o.step(0.01)])
def test_a_view_that_would_outlive_its_frame_is_caught(derive, move):
    inlet, outlet = laxity.channel("float64", 8, depth=1)
    inlet.try_put(np.arange(8.0))
    outlet.pull()
    kept = derive(outlet.get())
    with pytest.raises(laxity.FrameInUse, match="still lives at the next pull"):
        move(outlet)
    assert outlet.get()[7] == 7, "the frame is still shown"
    del kept
    move(outlet)


def test_a_view_outlives_its_outlet():
    inlet, outlet = laxity.channel("float64", 8)
    inlet.try_put(np.arange(8.0))
    outlet.pull()
    view = outlet.get()
    del inlet, outlet
    gc.collect()
    assert view.tolist() == list(range(8))


def test_an_array_of_another_type_is_named():
    inlet, outlet = laxity.channel("float64", 8)
    for wrong, what in (
        (np.zeros(8, "float32"), r"float32 of shape \(8,\)"),
        (np.zeros(8, ">f8"), r">f8 of shape \(8,\)"),
        (np.zeros((2, 4)), r"float64 of shape \(2, 4\)"),
        (np.zeros(9), r"float64 of shape \(9,\)"),
        ([0.0] * 8, "a list"),
        (bytes(64), "a bytes"),
        (None, "a NoneType"),
    ):
        with pytest.raises(laxity.TypeMismatch, match=f"put of {what}: the channel carries .*float64 of shape"):
            inlet.try_put(wrong)
        with pytest.raises(laxity.TypeMismatch):
            inlet.put(wrong)
    assert inlet.counters["attempted"] == 0
    assert outlet.pull() == 0


def test_an_array_that_is_not_contiguous_is_copied():
    inlet, outlet = laxity.channel("int64", (2, 3))
    inlet.try_put(np.arange(6).reshape(3, 2).T)
    outlet.pull()
    assert outlet.get().tolist() == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize(
    ("arguments", "options", "what"),
    [
        (("object", 2), {}, "objects of Python"),
        (("M8[s]", 2), {}, "cannot carry such elements"),
        (("float64", 0), {}, "at least one element"),
        (("float64", -1), {}, "negative dimensions"),
        (("no type", 1), {}, "not understood"),
        (("float64", 1), {"depth": 0}, "depth"),
        (("float64", 1), {"overflow": "block"}, "drop_newest, drop_oldest or latest"),
    ],
)
def test_a_channel_that_makes_no_sense_is_refused(arguments, options, what):
    with pytest.raises(laxity.UsageError, match=what):
        laxity.channel(*arguments, **options)


def test_a_put_blocks_until_there_is_room():
    inlet, outlet = laxity.channel("int64", depth=1)
    assert inlet.put(np.array(1))
    assert not inlet.put(np.array(2), timeout_s=0.01)
    received = []

    def receive():
        for _ in range(3):
            assert outlet.step()
            received.append(int(outlet.get()))

    thread = threading.Thread(target=receive)
    thread.start()
    for number in (3, 4):
        assert inlet.put(np.array(number))
    thread.join()
    assert received == [1, 3, 4]
    assert not outlet.step(timeout_s=0.01)


def test_a_channel_reaches_a_process_that_is_forked_later():
    inlet, outlet = laxity.channel("int64", 1000, depth=4)
    child = os.fork()
    if child == 0:
        for number in range(100):
            inlet.put(np.full(1000, number))
        os._exit(0)
    for number in range(100):
        assert outlet.step(timeout_s=60)
        assert (outlet.get() == number).all()
    assert os.waitpid(child, 0)[1] == 0


def test_memory_stays_flat():
    inlet, outlet = laxity.channel("float64", 8)
    array = np.arange(8.0)

    def exchange(times):
        for _ in range(times):
            inlet.try_put(array)
            outlet.pull()
            outlet.get()
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = exchange(10_000)
    assert exchange(1_000_000) - before < 2048, "KiB that a million puts, pulls and views have left behind"
