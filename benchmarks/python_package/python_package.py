"""The Python package against the C++ library and against other ways to move arrays, in rounds of one run.

Prints, by question, the median over rounds of a ratio or a time, with the smallest and the largest.
Usage: python_package.py PROGRAM [--smoke], where PROGRAM is the command laxity of the same build.
"""

import importlib.util
import math
import multiprocessing
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from multiprocessing import shared_memory

import graph_coloring
import numpy as np

import laxity

PROGRAM, SMOKE = sys.argv[1], "--smoke" in sys.argv
ROUNDS = 2 if SMOKE else 7
SIDES, COLORING_S = ((40, 50), 0.3) if SMOKE else ((400, 500), 3.0)  # of the torus on two workers; of a run
ARRAYS = 200 if SMOKE else 5000  # of 64 KiB, in a round
PUTS = 2000 if SMOKE else 200_000  # of 8 doubles, in a round
PROCESSES, END_TIME = (100, 50.0) if SMOKE else (10_000, 100.0)  # of PHOLD
MEAN_DELAY, MIN_DELAY, EVENTS_EACH = 10.0, 1.0, 20


def show(question, values):
    print(
        f"{question:66}{statistics.median(values):8.3f}   ({min(values):.3f} to {max(values):.3f})",
        flush=True,
    )


# PHOLD as in workloads/phold, with the random numbers of laxity.simulate.
def start(lp, state):  # noqa: ARG001
    for number in range(EVENTS_EACH):
        event = lp.event()
        event.baggage[0] = lp.self
        event.baggage[1] = number
        lp.send(lp.self, MIN_DELAY - MEAN_DELAY * math.log(1.0 - lp.random_unit()), event)


def pass_on(lp, state, event):
    state.handled += 1
    state.sum += event.baggage[0] ^ event.hops
    sent = lp.event()
    sent.hops = event.hops + 1
    for place in range(4):
        sent.baggage[place] = event.baggage[place]
    delay = MIN_DELAY - MEAN_DELAY * math.log(1.0 - lp.random_unit())
    lp.send(lp.random_below(lp.logical_processes), delay, sent)


PHOLD = laxity.Model(
    state=[("handled", "i8"), ("sum", "i8")],
    event=[("hops", "i8"), ("baggage", "i8", 4)],
    init=start,
    handle=pass_on,
    lookahead=MIN_DELAY,
)


def phold_in_cpp(team):
    """Return the seconds per committed event of the C++ model."""
    with tempfile.TemporaryDirectory() as output:
        command = [
            PROGRAM,
            "phold",
            *team,
            "--lps",
            str(PROCESSES),
            "--end-time",
            str(END_TIME),
            "--output",
            output,
        ]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    events, seconds = re.search(r": (\d+) events in ([\d.]+) s", text).groups()
    return float(seconds) / int(events)


def compare_phold():
    laxity.simulate(PHOLD, 10, 5.0)  # compiles it
    for team, threads in ((["--sequential"], 0), (["--threads", "2"], 2)):
        ratios = []
        for _ in range(ROUNDS):
            in_cpp = phold_in_cpp(team)
            result = laxity.simulate(PHOLD, PROCESSES, END_TIME, threads=threads)
            ratios.append(result.seconds / result.committed / max(in_cpp, 1e-9))
        show(
            f"PHOLD, {' '.join(team).strip('-')}: time by numba / time of the C++ model",
            ratios,
        )
    slow = [laxity.simulate(PHOLD, 100, 20.0, compiled=False) for _ in range(ROUNDS)]
    fast = [laxity.simulate(PHOLD, 100, 20.0) for _ in range(ROUNDS)]
    pairs = zip(slow, fast, strict=True)
    show(
        "PHOLD: time of functions that are not compiled / compiled",
        [a.seconds / b.seconds for a, b in pairs],
    )


def phold_in_simpy(processes, end_time):
    """Return the seconds per event of SimPy: each message is a process that waits and goes on to another state."""
    import simpy

    environment, draw = simpy.Environment(), random.Random(1)
    handled, sums, events = [0] * processes, [0] * processes, 0

    def message(at, number):
        nonlocal events
        hops, baggage = 0, [at, number, 0, 0]
        while True:
            yield environment.timeout(MIN_DELAY - MEAN_DELAY * math.log(1.0 - draw.random()))
            events += 1
            handled[at] += 1
            sums[at] += baggage[0] ^ hops
            hops += 1
            at = int(draw.random() * processes)

    for at in range(processes):
        for number in range(EVENTS_EACH):
            environment.process(message(at, number))
    begin = time.perf_counter()
    environment.run(until=end_time)
    return (time.perf_counter() - begin) / events


def compare_simpy():
    """Compare with SimPy, whose heap gets slower with the number of pending events, for three numbers of them."""
    if importlib.util.find_spec("simpy") is None:
        print("PHOLD by SimPy: skipped, because simpy is not installed")
        return
    laxity.simulate(PHOLD, 10, 5.0)
    for processes in (PROCESSES // 100, PROCESSES // 10, PROCESSES):
        simpy_end = END_TIME if processes < PROCESSES else END_TIME / 4  # a rate needs no more, and SimPy takes long
        for threads in (0, 2):
            ratios = []
            for _ in range(ROUNDS):
                peer = phold_in_simpy(processes, simpy_end)
                result = laxity.simulate(PHOLD, processes, END_TIME, threads=threads)
                ratios.append(peer / (result.seconds / result.committed))
            engine = f"{threads} threads" if threads else "sequential"
            show(
                f"PHOLD of {processes} processes, {engine}: time by SimPy / by numba",
                ratios,
            )


def small_arrays():
    inlet, outlet = laxity.channel("float64", 8)
    array = np.arange(8.0)
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(PUTS):
            inlet.try_put(array)
            outlet.pull()
        times.append((time.perf_counter() - begin) / PUTS * 1e6)
    show("8 doubles: a put and a pull, us", times)


ARRAY = np.arange(8192.0)  # 64 KiB, of which every receiver reads all
SUM = ARRAY.sum()


def by_laxity():
    def body(worker):
        if worker.id == 0:
            inlet = worker.sink(1, "float64", 8192, depth=4)
            worker.barrier()
            for _ in range(ARRAYS):
                inlet.put(ARRAY)
            return None
        outlet = worker.source(0, "float64", 8192, depth=4)
        worker.barrier()
        begin = time.perf_counter()
        for _ in range(ARRAYS):
            outlet.step()
            assert outlet.get().sum() == SUM
        return time.perf_counter() - begin

    return laxity.Team(processes=2).run(body)[1]


def timed_receiver(send, receive):
    """Send from a forked process and return the seconds that receiving takes."""
    sender = multiprocessing.get_context("fork").Process(target=lambda: [send() for _ in range(ARRAYS)])
    begin = time.perf_counter()
    sender.start()
    for _ in range(ARRAYS):
        assert receive() == SUM
    elapsed = time.perf_counter() - begin
    sender.join()
    return elapsed


def by_queue():
    queue = multiprocessing.get_context("fork").Queue(4)
    return timed_receiver(lambda: queue.put(ARRAY), lambda: queue.get().sum())


def by_pipe():
    receiver, sender = multiprocessing.get_context("fork").Pipe(duplex=False)
    return timed_receiver(
        lambda: sender.send_bytes(ARRAY.data.cast("B")),
        lambda: np.frombuffer(receiver.recv_bytes(), "float64").sum(),
    )


def by_shared_memory():
    """Hand over one array in shared memory, with two semaphores as its lock."""
    memory = shared_memory.SharedMemory(create=True, size=ARRAY.nbytes)
    elapsed = through_place(np.frombuffer(memory.buf, "float64"))
    memory.close()
    memory.unlink()
    return elapsed


def through_place(place):
    fork = multiprocessing.get_context("fork")
    empty, full = fork.Semaphore(1), fork.Semaphore(0)

    def send():
        empty.acquire()
        place[:] = ARRAY
        full.release()

    def receive():
        full.acquire()
        found = place.sum()
        empty.release()
        return found

    return timed_receiver(send, receive)


def large_arrays():
    peers = {
        "multiprocessing.Queue": by_queue,
        "multiprocessing.Pipe": by_pipe,
        "shared_memory with a lock": by_shared_memory,
    }
    rounds = [(by_laxity(), {name: peer() for name, peer in peers.items()}) for _ in range(ROUNDS)]
    gigabytes = ARRAYS * ARRAY.nbytes / 1e9
    show(
        "64 KiB between two processes: laxity, GB/s",
        [gigabytes / mine for mine, _ in rounds],
    )
    for name in peers:
        show(
            f"64 KiB between two processes: rate of laxity / {name}",
            [other[name] / mine for mine, other in rounds],
        )


def coloring_in_cpp():
    """Return the quality of service of the block view in C++, by windows."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            PROGRAM,
            "color",
            "--workers",
            "2p",
            "--mode",
            "3",
            "--view",
            "block",
            "--replicates",
            "1",
        ]
        command += [
            "--nodes",
            str(math.prod(SIDES) // 2),
            "--duration",
            str(COLORING_S),
        ]
        command += ["--window", str(COLORING_S / 20), "--output", f"{folder}/run"]
        subprocess.run(command, capture_output=True, check=True)
        return laxity.open(f"{folder}/run").tables["qos"]


def coloring_in_python(learner):
    mesh = laxity.Mesh(laxity.topologies.torus(*SIDES), {"color": "u1"}, workers=2)
    team = laxity.Team(processes=2, window_s=COLORING_S / 20)
    team.run(graph_coloring.coloring(mesh, learner), duration_s=COLORING_S)
    return team.quality()


def ratio_of_rates(mine, other):
    """Compare the time of the same number of updates from the start, because later ones have fewer conflicts."""
    courses = []
    for quality in (mine, other):
        course = quality.groupby("snapshot")[["updates", "window_ns"]].mean().cumsum()
        courses.append((np.append(0, course["updates"]), np.append(0, course["window_ns"])))
    both = min(updates[-1] for updates, _ in courses)
    time_of_mine, time_of_other = (np.interp(both, *course) for course in courses)
    return time_of_other / time_of_mine


def compare_coloring():
    """Compare graph coloring in blocks of 10^5 nodes per worker with the block view in C++."""
    learners = {"NumPy": graph_coloring.Learner}
    if importlib.util.find_spec("numba"):
        from compiled_coloring import CompiledLearner

        learners["NumPy and numba"] = CompiledLearner
        CompiledLearner(4, 1).update(np.zeros((4, 4), "u1"), np.zeros(4, "u1"))  # compiles it
    ratios = {name: [] for name in learners}
    for _ in range(ROUNDS):
        in_cpp = coloring_in_cpp()
        for name, learner in learners.items():
            ratios[name].append(ratio_of_rates(coloring_in_python(learner), in_cpp))
    for name, values in ratios.items():
        show(f"graph coloring in blocks: updates/s by {name} / in C++", values)


if __name__ == "__main__":
    small_arrays()
    large_arrays()
    compare_coloring()
    compare_phold()
    compare_simpy()
