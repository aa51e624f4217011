"""Runs `laxity study faulty-host` on two emulated hosts: one is stopped for two seconds, the other one continues."""

import os

import pytest
from kit import InFolder, laxity, processes_with, rows, run, segments

TWO_HOSTS = (os.environ["LAXITY_TWO_HOSTS"], "--mpiexec", os.environ["LAXITY_MPIEXEC"])


def networks():
    return set(run("ip", "netns", "list").output.split())


@pytest.mark.skipif(run(*TWO_HOSTS, "true").code == 77, reason="this system cannot emulate two hosts")
class TestFaultyHost(InFolder):
    def test_one_host_is_stopped_and_the_other_continues(self):
        before = networks(), segments()
        output = self.folder / "study"
        launcher = " ".join((*TWO_HOSTS, "--ranks", "{ranks}", "--loss", "0.01"))
        options = ("--launcher", launcher, "--replicates", 1, "--frozen", 2, "--window", 0.25, "--output", output)
        code, _, complaint = laxity("study", "faulty-host", *options, timeout=80)
        assert code == 0, complaint
        assert processes_with(str(self.folder)) == [], "a process is left"
        runs, workers, qos = (rows(output, table) for table in ("runs", "workers", "qos"))
        assert (networks(), segments()) == before

        assert [(run["shape"], run["hosts"], run["fault"], run["status"]) for run in runs] == [
            ("4r", "2", "none", "done"),
            ("4r", "2", "freeze", "done"),
        ]
        assert all(int(worker["updates"]) > 0 for worker in workers)
        for row in qos:
            assert int(row["accepted"]) <= int(row["attempted"])
            assert int(row["laden"]) <= min(int(row["pulls"]), int(row["received"]))

        def seen(worker):
            """Updates of a worker in each window of the second run in which somebody could look at it."""
            own = [row for row in qos if (row["run"], row["from_worker"], row["to_worker"]) == ("1", worker, worker)]
            return {int(row["snapshot"]): int(row["updates"]) for row in own}, [int(row["window_ns"]) for row in own]

        (well, _), (frozen, windows) = seen("0"), seen("2")
        assert max(windows) > 1e9, "the host was not stopped"
        meanwhile = set(well) - set(frozen)
        assert len(meanwhile) >= 3, (well, frozen)
        assert all(well[window] > 0 for window in meanwhile), well
        survivors = [row for row in qos if row["run"] == "1" and {row["from_worker"], row["to_worker"]} == {"0", "1"}]
        of_survivors = [row for row in survivors if int(row["snapshot"]) in meanwhile]
        assert sum(int(row["received"]) for row in of_survivors) > 0, "those that are compared have no link in use"
