"""The quantitative claims of the papers, and what a run needs to say something about each.

Elsewhere: what studies say about them (``claims`` in the packages of ``laxity.studies``).
"""

from __future__ import annotations

from dataclasses import dataclass

PAPERS = {
    "BE": "Moreno and Ofria, Best-effort communication improves performance and scales robustly on conventional "
    "hardware",
    "Conduit": "Moreno, Rodriguez Papa and Ofria, Conduit: a C++ library for best-effort high performance computing",
    "Threads": "Moreno and others, Quality of service: multithreading vs. multiprocessing",
    "Rao": "Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel "
    "simulations",
    "PAP": "Salimi Beni, Cosenza and Hunold, MPI collective algorithm selection in the presence of process arrival "
    "patterns",
}


@dataclass(frozen=True)
class Claim:
    """A quantitative claim.

    Attributes
    ----------
    key : str
        Name by which studies refer to it.
    source : str
        Key of `PAPERS` and section; several papers that say the same are separated by semicolons.
    text : str
        The claim.
    figures : str
        The figures of the paper.
    needs : str
        What a run needs to say something about it.
    """

    key: str
    source: str
    text: str
    figures: str
    needs: str


_EVOLUTION = (
    "as many cores or hosts: laxity evolve run --preset benchmark --workers 1t,64t --mode 0,3,4 --replicates 10; graph "
    "coloring with added work under SimGrid stands beside"
)
_THREADS_64 = "a machine with 64 cores: laxity study performance --teams threads --workers 1,4,16,64"
_RANKS_64 = "64 hosts; simulated: laxity scale"
_WORK = "laxity study work; between hosts with --hosts 2, which needs two hosts or root to emulate them"
_HOSTS = "laxity study hosts, which needs two hosts or root to emulate them"
_TEAMS = "laxity study threads-vs-processes"
_WEAK = "as many hosts: laxity study weak-scaling --paper; simulated: laxity scale --ranks 16,64,256 --mode 3 --work 0"
_FAULTY = "laxity study faulty"
_PHOLD = "laxity study timewarp"
_COUNTERS = "hardware counters, which laxity does not read"
_ARRIVAL = "laxity arrival -n 8 --collectives reduce,alltoall; the paper had 1024 processes on 32 hosts"

CLAIMS = (
    Claim(
        "threads-slow-down",
        "BE III-A; Conduit 4.1",
        "Each thread is slower beside three others than alone",
        "rate per thread lower by 61 % with 4 threads, in all modes",
        "4 cores: laxity study performance --teams threads --workers 1,4",
    ),
    Claim(
        "threads-slow-down-further",
        "BE III-A; Conduit 4.1",
        "The rate per thread falls further up to 64 threads",
        "by another 75 % from 4 to 64 threads",
        _THREADS_64,
    ),
    Claim(
        "threads-isolated-slow-down",
        "BE III-A; Conduit 4.1",
        "Threads slow one another down without communication too",
        "mode 4 is slower with more threads",
        "more than one core: laxity study performance --teams threads",
    ),
    Claim(
        "threads-modes-faster",
        "BE III-A; Conduit 4.1",
        "Threads are faster without a barrier after every update",
        "modes 1, 2, 3 against mode 0 at 64 threads, p < 0.05",
        _THREADS_64,
    ),
    Claim(
        "threads-modes-solve",
        "BE III-A; Conduit 4.1",
        "Threads leave fewer conflicts without a barrier after every update",
        "modes 1, 2, 3 against mode 0 at 64 threads, p < 0.05",
        _THREADS_64,
    ),
    Claim(
        "evolution-threads-isolated",
        "BE III-A; Conduit 4.1",
        "Digital evolution: isolated threads keep part of the rate of one",
        "61 % at 64 threads",
        _EVOLUTION,
    ),
    Claim(
        "evolution-threads-free",
        "BE III-A; Conduit 4.1",
        "Digital evolution: threads with best effort keep part of the rate of one",
        "43 % at 64 threads; half of isolated ones",
        _EVOLUTION,
    ),
    Claim(
        "evolution-threads-faster",
        "BE III-A; Conduit 4.1",
        "Digital evolution: threads are faster with best effort than in lockstep",
        "2.1 times at 64 threads; significant at 16 and 64",
        _EVOLUTION,
    ),
    Claim(
        "isolated-constant",
        "BE III-B; Conduit 4.2",
        "Isolated processes keep their rate whatever their number",
        "1 to 64 processes",
        "as many cores as workers: laxity study performance --teams processes",
    ),
    Claim(
        "free-keeps",
        "BE III-B; Conduit 4.2",
        "With best effort a process keeps most of the rate of one alone",
        "63 % at 64 processes",
        _RANKS_64,
    ),
    Claim(
        "free-faster-64",
        "BE III-B; Conduit 4.2",
        "Best effort is several times as fast as lockstep",
        "7.8 times at 64 processes",
        _RANKS_64,
    ),
    Claim(
        "processes-faster",
        "BE III-B; Conduit 4.2",
        "Processes are faster with best effort than in lockstep",
        "mode 3 against mode 0 at 4, 16 and 64 processes, p < 0.05",
        _RANKS_64,
    ),
    Claim(
        "processes-solve",
        "BE III-B; Conduit 4.2",
        "Processes leave fewer conflicts with best effort than in lockstep",
        "mode 3 against mode 0 at 4, 16 and 64 processes, p < 0.05",
        _RANKS_64,
    ),
    Claim(
        "partial-inconsistent",
        "BE III-B; Conduit 4.2",
        "With modes 1 and 2 the number of conflicts varies more from run to run than with mode 3",
        "highly inconsistent at 16 and 64 processes; the paper suspects that "
        "workers did not agree on the time of barriers",
        "16 hosts; a defect of the measured program that laxity "
        "does not have (docs/glossary.md, asynchronicity mode 2)",
    ),
    Claim(
        "evolution-keeps",
        "BE III-B; Conduit 4.2",
        "Computation-heavy work keeps most of the rate of one process",
        "92 % at 64 processes, digital evolution",
        _EVOLUTION,
    ),
    Claim(
        "evolution-faster",
        "BE III-B; Conduit 4.2",
        "Computation-heavy work is faster with best effort than in lockstep",
        "2.1 times at 64 processes, digital evolution; significant at 16 and 64",
        _EVOLUTION,
    ),
    Claim(
        "work-unit",
        "BE III-C",
        "A unit of added work takes about 35 ns",
        "35 ns of wall time, 21 ns of processor time",
        _WORK,
    ),
    Claim(
        "work-period",
        "BE III-C 1",
        "Once added work exceeds the update, the period grows in proportion to it",
        "14.7 µs without, 507 ms with 16 777 216 units",
        _WORK,
    ),
    Claim(
        "work-latency",
        "BE III-C 2",
        "With more work between messages, the latency in updates falls to 1",
        "median 42.5 updates without added work, 1.00 with the most",
        _WORK,
    ),
    Claim(
        "work-walltime-light",
        "BE III-C 3",
        "While updates are short, added work hardly changes the walltime latency",
        "medians 622, 640, 738 µs with 0, 64, 4096 units",
        _WORK,
    ),
    Claim(
        "work-walltime-heavy",
        "BE III-C 3",
        "Once updates are long, the walltime latency is their period",
        "median 1.00 s with 16 777 216 units, a period of 0.5 s",
        _WORK,
    ),
    Claim(
        "work-clumpiness",
        "BE III-C 4",
        "Clumpiness falls from above 0.95 to 0 as work is added",
        "0.96 without added work, 0.00 with the most",
        _WORK,
    ),
    Claim("work-failures", "BE III-C 5", "No message is refused whatever the work", "0 in all runs", _WORK),
    Claim(
        "hosts-period",
        "BE III-D 1",
        "Updates take longer where neighbors are on different hosts",
        "14.4 µs against 9.1 µs",
        _HOSTS,
    ),
    Claim(
        "hosts-latency",
        "BE III-D 2",
        "The latency in updates is higher between hosts",
        "37.4 updates against 0.75",
        _HOSTS,
    ),
    Claim("hosts-walltime", "BE III-D 3", "Messages take longer between hosts", "551 µs against 6.9 µs", _HOSTS),
    Claim(
        "hosts-clumpiness",
        "BE III-D 4",
        "Clumpiness is close to 1 between hosts and to 0 within one",
        "0.96 against 0.002",
        _HOSTS,
    ),
    Claim(
        "hosts-failures",
        "BE III-D 5",
        "More messages are refused within a host than between hosts",
        "0.30 against 0",
        _HOSTS,
    ),
    Claim(
        "teams-period",
        "BE III-E 1; Threads",
        "The period of processes is longer than that of threads",
        "9.0 µs against 4.6 µs",
        _TEAMS,
    ),
    Claim(
        "teams-walltime",
        "BE III-E 2; Threads",
        "Messages take longer between processes than between threads, in the median",
        "7.8 µs against 5.1 µs; no significant difference",
        _TEAMS,
    ),
    Claim(
        "teams-tail",
        "BE III-E 2; Threads",
        "Some latencies are extreme between threads, none between processes",
        "mean 90 times the median between threads (451 and 5 µs), 1.1 times between processes",
        _TEAMS,
    ),
    Claim(
        "teams-latency",
        "BE III-E 3; Threads",
        "The latency in updates is lower between processes, in the median",
        "0.84 against 1.10 updates; no significant difference",
        _TEAMS,
    ),
    Claim(
        "teams-clumpiness",
        "BE III-E 4; Threads",
        "Clumpiness is lower between processes than between threads",
        "0.03 against 0.54",
        _TEAMS,
    ),
    Claim(
        "teams-failures",
        "BE III-E 5; Threads",
        "More messages are refused between processes than between threads",
        "0.38 against 0",
        _TEAMS,
    ),
    Claim(
        "weak-period",
        "BE III-F 1",
        "The median period does not grow from 64 to 256 processes",
        "about 80 µs with one node each, 200 µs with 2048; it grows only with one node each and one process per host",
        _WEAK,
    ),
    Claim(
        "weak-walltime",
        "BE III-F 2",
        "The median walltime latency does not grow from 64 to 256 processes",
        "about 500 µs with one node each, 2 ms with 2048",
        _WEAK,
    ),
    Claim(
        "weak-latency",
        "BE III-F 3",
        "The median latency in updates does not grow with the number of processes",
        "about 7 updates with one node each, 1.2 with 2048, from 16 to 256 processes",
        _WEAK,
    ),
    Claim(
        "weak-clumpiness",
        "BE III-F 4",
        "Clumpiness does not grow with the number of processes",
        "0.6 to 0.8 with one node each, 0.4 with 2048; it falls",
        _WEAK,
    ),
    Claim(
        "weak-failures",
        "BE III-F 5",
        "The median failure rate does not grow with the number of processes",
        "near 0; 0.1 with one node each and 4 processes per host, where it grows",
        _WEAK,
    ),
    Claim(
        "weak-outliers",
        "BE III-F",
        "The mean failure rate grows from 64 to 256 processes",
        "significant with 2048 nodes each and one process per host, and with one node each and 4",
        _WEAK,
    ),
    Claim(
        "fault-means",
        "BE III-G",
        "A faulty member makes the means of latencies and failures larger",
        "mean latencies and failure rate significantly larger with one faulty host of 256",
        _FAULTY,
    ),
    Claim(
        "fault-medians",
        "BE III-G",
        "A faulty member makes no median worse",
        "no median differs significantly with one faulty host of 256",
        _FAULTY,
    ),
    Claim(
        "fault-period",
        "BE III-G",
        "The mean period is not longer with the faulty member",
        "significantly longer without it",
        _FAULTY,
    ),
    Claim(
        "rao-queues", "Rao 3.2, figure 4", "The three-tier heap is faster than the ladder queue", "25 to 27 %", _PHOLD
    ),
    Claim(
        "rao-event-time",
        "Rao 3.2, figure 4",
        "An event takes less than a microsecond with the three-tier heap",
        "0.77 to 0.79 µs at 2.4 GHz; 0.96 to 1.06 µs with the ladder queue",
        _PHOLD,
    ),
    Claim(
        "rao-instructions",
        "Rao 3.2, figure 4",
        "The three-tier heap takes fewer instructions an event than the ladder queue",
        "619 against 1058",
        _COUNTERS + "; valgrind --tool=callgrind counts those of one process",
    ),
    Claim(
        "rao-window-shared-memory",
        "Rao 3.3.1, figure 5",
        "The adaptive time window speeds up processes whose messages are copied through shared memory",
        "up to 200 times",
        "Open MPI with the shared memory transport of 2018",
    ),
    Claim(
        "rao-window-cma",
        "Rao 3.3.1, figure 5",
        "The adaptive time window changes little between processes with cross memory attach",
        "less than 2 %",
        "laxity phold --processes 2 --exchange attach with --optimism none and adaptive, several times",
    ),
    Claim(
        "rao-window-threads",
        "Rao 6.1, figure 9",
        "Between threads, the adaptive time window costs at most 2 %",
        "up to 10 % faster, at most 2 % slower",
        _PHOLD,
    ),
    Claim(
        "rao-lock-free",
        "Rao 4.1.2, figure 7",
        "Queues between threads behind a mutex are faster than lock-free ones",
        "in most of the runs with 2 to 28 threads",
        _PHOLD,
    ),
    Claim(
        "rao-lock-free-cycles",
        "Rao 4.1.2, figure 8",
        "Lock-free queues execute fewer instructions per cycle",
        "7.7 % fewer, 11 % with 28 threads",
        _COUNTERS,
    ),
    Claim(
        "rao-shared-events",
        "Rao 6.2, figure 10; Rao 6.3, figure 14",
        "Sharing events between threads is faster than copying them",
        "in most of the runs",
        _PHOLD,
    ),
    Claim(
        "rao-numa",
        "Rao 6.2, figure 10",
        "On one processor, management of NUMA memory costs a little",
        "about 5 %",
        "several NUMA nodes, and event memory that is kept by node",
    ),
    Claim(
        "rao-attach-range",
        "Rao 6.2, figure 10",
        "Processes with cross memory attach are faster than threads where receivers are near",
        "with receivers within 10",
        _PHOLD,
    ),
    Claim(
        "rao-attach-remote",
        "Rao 6.3, figure 14",
        "Processes with cross memory attach are faster than threads at many shares of remote events",
        "by up to 20 %",
        _PHOLD,
    ),
    Claim(
        "rao-recycling",
        "Rao 4.3.3",
        "The share of events whose memory is reused falls where workers are out of balance",
        "from 90 % to 50 %",
        "a counter of reused event records, which laxity does not keep: its workers own their records",
    ),
    Claim(
        "pap-reduce",
        "PAP III, figure 4; PAP IV-B, figure 5",
        "Where the last process is late, the in-order binary tree reduces small vectors faster than the binomial tree",
        "30 % of the last delay at 2 bytes",
        _ARRIVAL,
    ),
    Claim(
        "pap-no-delay",
        "PAP IV-B, figure 5",
        "The reduction that is fastest when all arrive together is not the fastest under every pattern",
        "binomial without delay, in-order binary where the last is late, 8 bytes",
        _ARRIVAL,
    ),
    Claim(
        "pap-absorb",
        "PAP IV-C, figure 6",
        "A linear reduction absorbs skew",
        "last delay lower by 56 % under the random pattern, 8 bytes",
        _ARRIVAL,
    ),
    Claim(
        "pap-alltoall",
        "PAP V, figure 8",
        "Without delay the linear all-to-all exchange is faster than the modified Bruck algorithm",
        "4.6 times at 32 768 bytes",
        _ARRIVAL,
    ),
    Claim(
        "pap-alltoall-descending",
        "PAP V, figure 8",
        "Under the descending pattern the linear exchange with synchronization is slower than without delay",
        "16 times at 32 768 bytes",
        _ARRIVAL,
    ),
    Claim(
        "pap-application",
        "PAP V, figure 7",
        "The algorithm with the smallest average over patterns is best in the application",
        "8 % of the run time of FT on Galileo100",
        "the NAS benchmark FT on several hosts: laxity trace -- mpirun ft, laxity tune",
    ),
)
"""In the order of the papers."""

_BY_KEY = {claim.key: claim for claim in CLAIMS}


def claim_named(key: str) -> Claim:
    """Return a claim of the catalog."""
    return _BY_KEY[key]
