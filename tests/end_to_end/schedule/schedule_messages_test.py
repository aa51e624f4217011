"""The schedules of `laxity schedule` beside the messages that Open MPI sends under the same algorithm.

Messages are counted by Open MPI's component pml/monitoring: for every pair of ranks their number and bytes.
$LAXITY_EFFORT above 1: more numbers of ranks.
"""

import os
import re
from collections import Counter

import pytest
from kit import InFolder, case, laxity, run

RANKS = (5, 6, 8, 12) if int(os.environ.get("LAXITY_EFFORT", "1")) > 1 else (5,)
BYTES = 960  # a multiple of every number of blocks, so that parts of a vector are equal
COLLECTIVES = laxity("schedule", "list").output.splitlines()
ALGORITHMS = {line.split()[0]: line.split()[1:] for line in COLLECTIVES}
# These call other collectives, whose algorithm the library chooses: their numbers of messages are compared only.
COMPOSED = {("allgather", "linear"), ("allreduce", "nonoverlapping"), ("reduce_scatter", "non-overlapping")}
# The component does not count the messages of this one.
UNSEEN = {("alltoall", "linear")}


def sent(schedule):
    """Count the messages of a GOAL text: {(sender, receiver): (number, bytes)}."""
    number, size = Counter(), Counter()
    for line in schedule.splitlines():
        if rank := re.match(r"rank (\d+) {", line):
            sender = int(rank[1])
        if message := re.match(r"l\d+: send (\d+)b to (\d+)", line):
            number[sender, int(message[2])] += 1
            size[sender, int(message[2])] += int(message[1])
    return {pair: (number[pair], size[pair]) for pair in number}


def messages(pairs):
    """Add up the messages of all pairs."""
    return sum(number for number, _ in pairs.values())


class TestMessages(InFolder):
    def run_collective(self, ranks, *arguments, environment=None):
        ended = run(
            os.environ["LAXITY_MPIEXEC"], "-n", ranks, os.environ["LAXITY_RUN_COLLECTIVE"], *arguments,
            environment=environment,
        )  # fmt: skip
        assert ended.code == 0, ended
        return ended.output.strip()

    def counted(self, ranks, collective, number):
        """Count the messages of a run, those of its set-up included."""
        folder = self.folder / f"{ranks}-{collective}-{number}"
        folder.mkdir()
        monitoring = {
            "OMPI_MCA_pml_monitoring_enable": "2",
            "OMPI_MCA_pml_monitoring_enable_output": "3",
            "OMPI_MCA_pml_monitoring_filename": f"{folder}/messages",
        }
        assert self.run_collective(ranks, collective, number, BYTES, environment=monitoring) == "ok"
        counts = Counter(), Counter()
        for file in folder.iterdir():
            for line in file.read_text(encoding="ascii").splitlines():
                if line.startswith("I\t"):
                    sender, receiver, size, number_of = (int(word.split()[0]) for word in line.split("\t")[1:5])
                    counts[0][sender, receiver] += number_of
                    counts[1][sender, receiver] += size
        return counts

    def test_every_pair_of_ranks_exchanges_the_messages_of_the_real_algorithm(self):
        if "Open MPI" not in laxity("doctor").output:
            pytest.skip("another MPI: its messages cannot be counted")
        compared = 0
        for ranks in RANKS:
            set_up = self.counted(ranks, "alltoall", 1)
            for collective, ours in ALGORITHMS.items():
                for line in self.run_collective(ranks, collective, "list", BYTES).splitlines():
                    number, name, _ = line.split()
                    if name not in ours or (collective, name) in UNSEEN:
                        continue
                    counts = self.counted(ranks, collective, number)
                    real = {
                        pair: (count, counts[1][pair] - set_up[1][pair])
                        for pair, count in (counts[0] - set_up[0]).items()
                    }
                    call = (collective, name, "--ranks", ranks, "--bytes", BYTES)
                    schedule = sent(laxity("schedule", "show", *call, "--goal", "-").output)
                    with case(collective, name, ranks=ranks):
                        if (collective, name) in COMPOSED:
                            assert messages(schedule) == messages(real)
                        else:
                            assert schedule == real
                    compared += 1
        assert compared >= 30 * len(RANKS)
