"""Teams of processes: values and exceptions that come back, channels by worker, lost workers, a requested stop."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import laxity

WAIT_S = 60  # more than any loaded machine needs


def test_values_come_back_by_worker():
    def body(worker):
        return worker.id, worker.size, os.getpid(), np.full(100_000, worker.id)

    results = laxity.Team(processes=3).run(body)
    assert [result[:2] for result in results] == [(0, 3), (1, 3), (2, 3)]
    assert len({result[2] for result in results} | {os.getpid()}) == 4
    assert all((result[3] == number).all() for number, result in enumerate(results))


def test_neighbors_exchange_arrays():
    rounds = 50

    def body(worker):
        right, left = (worker.id + 1) % worker.size, (worker.id - 1) % worker.size
        inlet = worker.sink(right, "int64", (2, 3), depth=rounds)
        outlet = worker.source(left, "int64", (2, 3), depth=rounds)
        for number in range(rounds):
            assert inlet.try_put(np.full((2, 3), 1000 * worker.id + number))
            worker.update_done()
        for number in range(rounds):
            assert outlet.step(WAIT_S)
            assert (outlet.get() == 1000 * left + number).all()
        return worker.updates

    team = laxity.Team(processes=3)
    assert team.run(body) == [rounds] * 3
    links = team.links()
    assert links[["from_worker", "to_worker"]].to_numpy().tolist() == [[0, 1], [1, 2], [2, 0]]
    assert (links["attempted"] == rounds).all()
    assert (links["received"] == rounds).all()
    assert (links["refused"] == 0).all()


def test_an_exception_comes_back_with_its_traceback():
    def fails_here(worker):
        if worker.id == 1:
            raise ZeroDivisionError("a line\nand another")
        while worker.barrier():
            pass

    with pytest.raises(laxity.WorkerError) as caught:
        laxity.Team(processes=2).run(fails_here)
    assert str(caught.value) == "worker 1 (process 1, thread 0) failed: ZeroDivisionError: a line and another"
    assert caught.value.worker == 1
    assert "in fails_here" in caught.value.traceback
    assert "in fails_here" in str(caught.value.__cause__)


def test_a_value_that_cannot_be_pickled_is_an_exception_of_the_worker():
    with pytest.raises(laxity.WorkerError, match=r"worker 0 .*lambda"):
        laxity.Team(processes=1).run(lambda _: lambda: None)


def test_a_worker_that_exits_has_failed():
    with pytest.raises(laxity.WorkerError, match="SystemExit: 3"):
        laxity.Team(processes=1).run(lambda _: exit(3))


def test_a_killed_worker_is_named():
    def body(worker):
        if worker.id == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        while worker.barrier():
            pass

    with pytest.raises(laxity.WorkerError, match=r"worker 1 \(process 1.*was killed: signal 9"):
        laxity.Team(processes=2).run(body)


def test_a_worker_that_returns_late_is_waited_for():
    def body(worker):
        while not worker.stop_requested:
            worker.update_done()
        if worker.id == 1:
            time.sleep(0.3)
        return worker.id

    def supervise(team):
        if team.all_are_updating:
            team.request_stop()

    assert laxity.Team(processes=2, grace_s=WAIT_S).run(body, supervise) == [0, 1]


def test_a_worker_that_does_not_return_is_ended_and_named():
    def body(worker):
        while worker.id == 1 or not worker.stop_requested:
            worker.update_done()

    def supervise(team):
        if team.all_are_updating:
            team.request_stop()

    with pytest.raises(laxity.WorkerError, match=r"worker 1 .* did not end within 0.5 s"):
        laxity.Team(processes=2, grace_s=0.5).run(body, supervise)


def test_the_others_may_go_on():
    def body(worker):
        if worker.id == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        for _ in range(3):
            assert worker.barrier()
        return worker.id

    assert laxity.Team(processes=3, on_loss="go_on").run(body) == [0, None, 2]


def test_ends_made_for_different_arrays_are_named_on_the_second():
    def body(worker):
        if worker.id == 0:
            worker.sink(1, "float32", 8)
        worker.barrier()
        if worker.id == 1:
            worker.source(0, "float64", (2, 2))

    what = r"made for float64 of shape \(2, 2\), the other one for float32 of shape \(8,\)"
    with pytest.raises(laxity.WorkerError, match=f"TypeMismatch.*{what}"):
        laxity.Team(processes=2).run(body)


@pytest.mark.parametrize("other", [-1, 0, 2])
def test_a_channel_needs_another_worker_of_the_team(other):
    def body(worker):
        if worker.id == 0:
            worker.sink(other, "float64")

    with pytest.raises(laxity.WorkerError, match=f"worker 0 of 2 cannot have a channel with worker {other}"):
        laxity.Team(processes=2).run(body)


def test_the_caller_supervises_and_requests_the_end():
    ticked = []

    def body(worker):
        while not worker.stop_requested:
            worker.update_done()
        return worker.updates > 0

    def supervise(team):
        ticked.append(team.all_are_updating)
        if ticked[-1]:
            team.request_stop()

    assert laxity.Team(processes=2).run(body, supervise) == [True, True]
    assert ticked[-1]


def test_an_exception_of_the_supervisor_ends_the_team():
    def body(worker):
        while not worker.stop_requested:
            time.sleep(0.001)

    def supervise(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        laxity.Team(processes=2).run(body, supervise)


def test_other_threads_run_while_a_team_runs():
    seen = threading.Event()

    def body(worker):
        while not worker.stop_requested:
            time.sleep(0.001)

    def supervise(team):
        if seen.wait(0.001):
            team.request_stop()

    thread = threading.Timer(0.05, seen.set)
    thread.start()
    laxity.Team(processes=1).run(body, supervise)
    thread.join()


def test_control_c_ends_the_team_and_is_an_interrupt_here():
    def body(worker):
        worker.update_done()
        while not worker.stop_requested:
            time.sleep(0.001)

    def supervise(team):
        if team.all_are_updating and not team.stopped:
            team.stopped = True
            os.kill(os.getpid(), signal.SIGINT)

    team = laxity.Team(processes=2)
    team.stopped = False
    with pytest.raises(KeyboardInterrupt, match="signal 2"):
        team.run(body, supervise)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_team_runs_once():
    team = laxity.Team(processes=1)
    team.run(lambda _: None)
    with pytest.raises(laxity.UsageError, match="a team runs once"):
        team.run(lambda _: None)


def test_threads_that_run_one_at_a_time_are_refused():
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("this Python is free-threaded")
    with pytest.raises(laxity.UsageError, match=r"threads = 4: .*global interpreter lock; use processes=4, or a free-"):
        laxity.Team(threads=4)


@pytest.fixture
def threads_allowed(monkeypatch):
    """Allow threads also where they run one at a time, to test that they work at all."""
    monkeypatch.setattr("laxity.team._runs_one_thread_at_a_time", lambda: False)


@pytest.mark.usefixtures("threads_allowed")
def test_threads_exchange_arrays_and_return_values():
    mesh = laxity.Mesh([(0, 1), (1, 0)], {"value": "f8"}, workers=2)

    def body(worker):
        part, inlet = mesh.part(worker), worker.sink(1 - worker.id, "i8")
        outlet = worker.source(1 - worker.id, "i8")
        part["value"].state = worker.id
        part.flush()
        assert inlet.put(np.array(10 + worker.id), WAIT_S)
        assert outlet.step(WAIT_S)
        assert worker.barrier()
        part.pull()
        while not worker.stop_requested:
            worker.update_done()
        return os.getpid(), threading.get_ident(), int(outlet.get()), part["value"].received.item()

    team = laxity.Team(threads=2, window_s=0.01)
    results = team.run(body, duration_s=0.05)
    assert [result[2:] for result in results] == [(11, 1.0), (10, 0.0)]
    assert {result[0] for result in results} == {os.getpid()}
    assert len({result[1] for result in results} | {threading.get_ident()}) == 3
    links = team.links().set_index(["layer", "from_worker", "to_worker"])
    assert links["received"].to_dict() == dict.fromkeys([(0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)], 1)


@pytest.mark.usefixtures("threads_allowed")
def test_an_exception_of_a_thread_comes_back_with_its_traceback():
    def fails_here(worker):
        if worker.id == 1:
            raise ZeroDivisionError("in a thread")
        while worker.barrier():
            pass

    with pytest.raises(laxity.WorkerError, match=r"worker 1 \(process 0, thread 1\) failed: Zero.*: in a") as caught:
        laxity.Team(threads=2).run(fails_here)
    assert "in fails_here" in caught.value.traceback


@pytest.mark.usefixtures("threads_allowed")
def test_an_exception_of_the_supervisor_ends_threads():
    def body(worker):
        while not worker.stop_requested:
            time.sleep(0.001)

    def supervise(_):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        laxity.Team(threads=2).run(body, supervise)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"processes": 0}, "processes = 0: must be at least 1"),
        ({"processes": 5000}, "1 to 4096"),
        ({"threads": 0}, "threads = 0: must be at least 1"),
        ({}, "either processes or threads"),
        ({"processes": 1, "threads": 1}, "either processes or threads"),
    ],
)
def test_an_impossible_team_is_refused(options, what):
    with pytest.raises(laxity.UsageError, match=what):
        laxity.Team(**options)
