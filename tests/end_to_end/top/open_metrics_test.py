"""Scrapes `laxity top --openmetrics` as a monitoring system does, with the parser of Prometheus."""

import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from kit import PROGRAM, InFolder, eventually, laxity

parser = pytest.importorskip("prometheus_client.openmetrics.parser")


class TestOpenMetrics(InFolder):
    def start(self, *arguments, **options):
        program = subprocess.Popen([PROGRAM, *map(str, arguments)], text=True, **options)

        def end():
            program.terminate()
            program.communicate(timeout=20)

        self.cleanup.callback(end)
        return program

    def serve(self, *arguments):
        """Start a server at a free port; returns its URL."""
        server = self.start("top", "--openmetrics", 0, "--interval", "50ms", *arguments, stdout=subprocess.PIPE)
        return re.fullmatch(r"serving (http://127\.0\.0\.1:\d+/metrics)\n", server.stdout.readline())[1]

    def scrape(self, url):
        """By name of the metric family: its type and samples."""
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
            families = list(parser.text_string_to_metric_families(answer.read().decode()))
        return {family.name: (family.type, family.samples) for family in families}

    def color(self, *arguments):
        output = ("--duration", 60, "--nodes", 16, "--quiet", "--output", self.folder / "run")
        return self.start("color", *output, *arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_the_metrics_of_every_worker_are_exposed_and_its_counters_grow(self):
        job = self.color("--threads", 2)
        url = self.serve()

        def updates():
            samples = self.scrape(url)["laxity_updates"][1]
            return {s.labels["worker"]: s.value for s in samples if s.labels["pid"] == str(job.pid)}

        first = eventually(lambda: updates() if len(updates()) == 2 else None)
        eventually(lambda: all(updates()[worker] > before for worker, before in first.items()))
        found = self.scrape(url)
        assert found["laxity_updates"][0] == "counter"
        for name, unit in {
            "laxity_simstep_period_seconds": 1e-9,
            "laxity_walltime_latency_seconds": 1e-9,
            "laxity_simstep_latency_updates": 0,
            "laxity_delivery_failure_ratio": 0,
            "laxity_delivery_clumpiness_ratio": 0,
        }.items():
            kind, samples = found[name]
            mine = [sample for sample in samples if sample.labels["pid"] == str(job.pid)]
            assert kind == "gauge"
            assert len(mine) == 2
            assert all(unit <= sample.value < 10 if unit else sample.value >= 0 for sample in mine), name
        (info,) = (s for s in found["laxity_job"][1] if s.labels["pid"] == str(job.pid))
        assert "color --duration 60" in info.labels["command"]
        mine = [sample for sample in found["laxity_job_state"][1] if sample.labels["pid"] == str(job.pid)]
        states = {sample.labels["laxity_job_state"]: sample.value for sample in mine}
        assert states == {"running": 1, "stalled": 0, "silent": 0}

    def test_a_simulation_has_events_and_no_updates(self):
        output = ("--end-time", 1e9, "--quiet", "--output", self.folder / "run")
        job = self.start("phold", *output, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        url = self.serve()

        def mine(name):
            return [s for s in self.scrape(url)[name][1] if s.labels["pid"] == str(job.pid)]

        eventually(lambda: any(sample.value > 0 for sample in mine("laxity_events_committed")))
        assert mine("laxity_updates") == []
        assert mine("laxity_simstep_period_seconds") == []

    def test_a_command_line_with_quotes_is_escaped(self):
        job = self.start("color", "--duration", 60, "--quiet", "--output", self.folder / 'a"b\\c')
        url = self.serve()

        def command():
            samples = self.scrape(url)["laxity_job"][1]
            return next((s.labels["command"] for s in samples if s.labels["pid"] == str(job.pid)), None)

        assert eventually(command).endswith('a"b\\c')

    def test_other_pages_and_clients_that_say_nothing_do_no_harm(self):
        url = self.serve()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(url + "/no/such/page", timeout=20)
        port = int(re.search(r":(\d+)/", url)[1])
        with socket.create_connection(("127.0.0.1", port)):
            begin = time.monotonic()
            assert "laxity_host_reports" in self.scrape(url)
            assert time.monotonic() - begin < 10

    def test_an_endpoint_that_makes_no_sense_is_usage_and_one_in_use_is_named(self):
        for endpoint in ("port", "70000", "nowhere:9555", "1.2.3:9555", ""):
            code, _, complaint = laxity("top", f"--openmetrics={endpoint or ':'}")
            assert code == 2, endpoint
            assert "write PORT or ADDRESS:PORT" in complaint
        port = re.search(r":(\d+)/", self.serve())[1]
        code, _, complaint = laxity("top", "--openmetrics", port)
        assert code == 1
        assert f"listen({port})" in complaint
