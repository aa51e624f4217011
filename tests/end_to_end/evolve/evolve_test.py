"""Genomes as a user makes, mutates, inspects and executes them with `laxity evolve`."""

import json
import math
from pathlib import Path

import pytest
from kit import InFolder, laxity


class TestEvolve(InFolder):
    def evolve(self, *arguments):
        ended = laxity("evolve", *arguments)
        assert ended.code == 0, ended
        return ended.output

    def genome(self, seed=3, length=60):
        path = self.folder / f"{seed}.genome"
        self.evolve("random", "--length", length, "--seed", seed, "--output", path)
        return path

    def test_the_same_seed_gives_the_same_genome(self):
        assert self.genome(3).read_text() == self.evolve(
            "random", "--length", 60, "--seed", 3
        )
        assert self.genome(4).read_text() != self.genome(3).read_text()

    def test_show_lists_every_instruction_of_a_program_with_modules_once(self):
        shown = self.evolve("show", self.genome())
        positions = [
            line.split()[0] for line in shown.splitlines() if line.startswith("  ")
        ]
        assert positions == [str(position) for position in range(60)]
        assert "started by: " in shown

    def test_json_agrees_with_the_text(self):
        path = self.genome()
        genome = json.loads(self.evolve("show", path, "--json"))
        program = [line for line in path.read_text().splitlines() if ";" in line]
        assert len(genome["program"]) == len(program) == 60
        for instruction, line in zip(genome["program"], program, strict=True):
            digits = line.split()[0]
            assert digits[:2] == f"{instruction['byte']:02x}"
            assert digits[8:] == instruction["tag"]
            assert instruction["instruction"] in line

    def test_the_trace_follows_the_modules(self):
        path = self.genome()
        shown = self.evolve("show", path).splitlines()
        start = next(
            i
            for i, line in enumerate(shown)
            if "started by:" in line and "newborn" in line.split(": ")[1].split(", ")
        )
        trace = self.evolve(
            "trace", path, "--event", "newborn", "--slices", 3
        ).splitlines()
        assert trace[0].split()[2] == shown[start + 1].split()[0]
        assert trace[-1].startswith(f"{len(trace) - 1} instructions")

    def test_mutations_are_counted(self):
        path = self.folder / "child.genome"
        self.evolve("mutate", self.genome(), "--births", 50, "--output", path)
        child = path.read_text()
        assert "\ngenerations_2 50\n" in child
        assert "\nbit_flips 0\n" not in child
        assert child != self.genome().read_text()

    def test_a_genome_that_asks_for_offspring_wins_a_competition(self):
        spreader = Path(__file__).parents[3] / "docs/examples/evolution/spreader.genome"
        arguments = (self.genome(1, 100), "--cells", 64, "--updates", 1000, "--replicates", 3)
        shown = self.evolve("compete", spreader, *arguments, "--threads", 2)
        assert shown.endswith("\nfitter: first\n")
        found = json.loads(self.evolve("compete", spreader, *arguments, "--json"))
        assert [world["seed"] for world in found["worlds"]] == [1, 2, 3]
        assert all(sum(world["begin"]) == 64 for world in found["worlds"])
        assert found["log_ratio"]["low"] > 0
        assert found["relative_fitness"] == pytest.approx(math.exp(found["log_ratio"]["mean"]))
        one = json.loads(self.evolve("compete", spreader, *arguments[:-1], 1, "--json"))
        assert one["worlds"] == found["worlds"][:1]
        assert one["log_ratio"]["low"] is None
        assert one["fitter"] == "cannot be told"

    def test_bad_input_gets_one_line(self):
        path = self.genome()
        path.write_text(path.read_text().replace("\nprogram 60\n", "\nprogram 61\n"))
        for arguments, code, message in (
            (
                ("show", path),
                1,
                f"laxity: {path}:113:1: expected an instruction, but the file ends\n",
            ),
            (
                ("trace", self.genome(5), "--tag", "xyz"),
                2,
                "laxity: --tag xyz: is not hexadecimal, up to 16 digits\n",
            ),
        ):
            ended = laxity("evolve", *arguments)
            assert (ended.code, ended.complaint) == (code, message)
        assert laxity("evolve", "random", "--length", 0).code == 2
