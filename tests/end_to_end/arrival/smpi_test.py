"""`laxity arrival --simulate smpi` as a user runs it, with the program that $LAXITY_PROGRAM names."""

import functools
import os
import signal
import subprocess
import time

import pytest
from kit import PROGRAM, InFolder, laxity, read_manifest, rows

HAS_SIMGRID = os.environ["LAXITY_HAS_SIMGRID"] == "1"
simulate = functools.partial(laxity, "arrival", "--simulate", "smpi")
TWO_LEVELS = """name = "two"
eager_limit_bytes = {}
[[level]]
name = "host"
ranks = 4
latency_us = 1
overhead_us = 0.5
[[level]]
name = "network"
latency_us = 8
overhead_us = 0.5
gap_per_byte_ns = 1
"""


def last_delays_us(output):
    """The last delay of each algorithm under each pattern."""
    return {(row["algorithm"], row["pattern"]): float(row["last_delay_us"]) for row in rows(output, "arrival")}


def processes_with(words):
    """The processes with these words in their command line."""
    return subprocess.run(["pgrep", "-f", str(words)], capture_output=True, text=True, check=False).stdout


class TestWithoutTheSimulator(InFolder):
    def test_one_line_says_what_to_install(self):
        code, _, complaint = simulate("-n", 4, "--output", self.folder / "a", environment={"PATH": "/nowhere"})
        assert code == 1
        assert "libsimgrid-dev" in complaint
        assert complaint.count("\n") == 1, complaint


@pytest.mark.skipif(not HAS_SIMGRID, reason="SimGrid is not installed")
class TestSmpi(InFolder):
    def study(self, name, *arguments):
        output = self.folder / name
        code, printed, complaint = simulate(*arguments, "--output", output)
        assert (code, complaint) == (0, "")
        assert read_manifest(output)["status"] == "done"
        return output, printed

    def test_1024_ranks_show_the_in_order_tree_of_the_source_under_last_delayed(self):
        output, printed = self.study(
            "source", "-n", 1024, "--collectives", "reduce", "--sizes", 2, "--patterns", "last_delayed",
            "--algorithms", "3,4,5,6",
        )  # fmt: skip
        assert "the fastest algorithm without delay is binomial" in printed
        delays_us = last_delays_us(output)
        fastest = min((delay, name) for (name, pattern), delay in delays_us.items() if pattern == "last_delayed")
        assert fastest[1] == "in-order_binary"
        assert 0.24 < fastest[0] / delays_us["binomial", "no_delay"] < 0.32
        configuration = read_manifest(output)["configuration"]
        assert configuration["simulator"] == "smpi"
        assert "--cfg=" in configuration["simulator_command"]
        assert 'name = "paper"' in configuration["machine"]
        assert configuration["hosts"] == 32

    def test_every_collective_is_right_with_every_algorithm_and_the_same_on_repeat(
        self,
    ):
        machine = self.folder / "two.toml"
        machine.write_text(TWO_LEVELS.format(1024), encoding="utf-8")
        study = (
            "-n", 12, "--sizes", "2,4k", "--patterns", "random", "--own", "--machine", machine, "--collectives",
            "allgather,allreduce,alltoall,barrier,bcast,gather,reduce,reduce_scatter,scatter",
        )  # fmt: skip
        first, _ = self.study("first", *study)
        verdicts = {(row["collective"], row["algorithm"]): row["verdict"] for row in rows(first, "algorithms")}
        assert set(verdicts.values()) <= {"right", "alias"}, verdicts
        assert ("reduce", "laxity_arrival_order") in verdicts
        assert len({collective for collective, _ in verdicts}) == 9
        again, _ = self.study("again", *study)
        assert (first / "arrival.csv").read_bytes() == (again / "arrival.csv").read_bytes()

    def test_times_are_those_of_the_machine_file(self):
        for eager_limit, ranks, expected_us in (
            (
                1024,
                4,
                3 * 1,
            ),  # each message keeps the root until it is there: 1 us within a host
            (
                1024,
                5,
                3 * 1 + 8 + 4,
            ),  # one more to another host: 8 us, and 4,000 bytes of 1 ns
            (
                65536,
                4,
                3 * 0.5 + 1 + 0.5,
            ),  # an eager message occupies the root for its overhead only
            (65536, 5, 4 * 0.5 + 8 + 4 + 0.5),
        ):
            name = f"{eager_limit}-{ranks}"
            machine = self.folder / f"{name}.toml"
            machine.write_text(TWO_LEVELS.format(eager_limit), encoding="utf-8")
            output, _ = self.study(
                name, "-n", ranks, "--collectives", "scatter", "--sizes", 4000, "--patterns", "no_delay",
                "--algorithms", 1, "--machine", machine,
            )  # fmt: skip
            assert last_delays_us(output)["basic_linear", "no_delay"] == pytest.approx(
                expected_us, rel=0.002
            )  # a message has a header

    def test_ctrl_c_ends_the_simulator_too_and_the_study_goes_on(self):
        output = self.folder / "study"
        study = (
            "-n", 128, "--sizes", 8, "--collectives", "reduce,alltoall", "--algorithms", "1",
            "--patterns", "last_delayed", "--output", output,
        )  # fmt: skip
        running = subprocess.Popen(
            [PROGRAM, "arrival", "--simulate", "smpi", *map(str, study)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.cleanup.callback(running.kill)
        settings = output / "smpi" / "settings.json"
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:  # until the simulator runs the second block, which takes seconds
            second = settings.exists() and "alltoall" in settings.read_text(encoding="utf-8")
            if second and processes_with(f"smpi_collectives {settings}"):
                break
            time.sleep(0.01)
        running.send_signal(signal.SIGTERM)
        _, complaint = running.communicate(timeout=300)
        assert running.returncode == 1
        assert "continues the study" in complaint
        assert read_manifest(output)["status"] == "interrupted"
        assert not processes_with(output)
        before = rows(output, "arrival")
        assert simulate(*study).code == 0
        assert rows(output, "arrival")[: len(before)] == before
        assert [row["collective"] for row in rows(output, "runs")] == ["reduce", "alltoall"]

    def test_what_cannot_be_simulated_is_refused_in_one_line(self):
        for arguments, words in (
            (("-n", 64, "--machine", "omnipath"), "one or two levels"),
            (
                ("-n", 4096, "--collectives", "alltoall", "--sizes", "1M"),
                "--simulate schedule",
            ),
            (
                ("-n", 8, "--collectives", "reduce", "--algorithms", 2),
                "no algorithms with these numbers",
            ),
            ((), "-n 1024"),
        ):
            code, _, complaint = simulate(*arguments, "--output", self.folder / "refused")
            assert code == 2, arguments
            assert words in complaint, complaint
            assert complaint.count("\n") == 1, complaint
