"""A world of cells as a user runs it with `laxity evolve run`, down to its report."""

from collections import defaultdict

import pytest
from kit import InFolder, laxity, read_manifest, rows

SMALL = ("--preset", "benchmark", "--cells", 100)


class TestWorld(InFolder):
    def run_world(self, *arguments, output="world"):
        path = self.folder / output
        ended = laxity("evolve", "run", *SMALL, "--output", path, *arguments)
        assert ended.code == 0, ended
        return path

    def test_the_same_seed_gives_the_same_world(self):
        digests = []
        for name, seed in (("first", 7), ("second", 7), ("other", 8)):
            path = self.run_world("--updates", 200, "--seed", seed, output=name)
            digests.append(rows(path, "runs")[0]["digest"])
        assert digests[0] == digests[1] != digests[2]

    def test_teams_in_all_modes_have_accounts_that_close(self):
        path = self.run_world("--workers", "1t,2t,2p", "--mode", "0,1,2,3,4", "--duration", 0.2)
        runs = rows(path, "runs")
        assert len(runs) == 15
        assert all(run["status"] == "done" and int(run["updates_total"]) > 0 for run in runs)
        assert read_manifest(path)["status"] == "done"
        accounts = defaultdict(dict)
        for row in rows(path, "resource"):
            accounts[row["run"], row["worker"]][row["term"]] = float(row["amount"])
        assert len(accounts) == 5 * (1 + 2 + 2)
        for terms in accounts.values():
            gained = sum(terms[term] for term in ("start", "base_harvest", "group_harvest", "apoptosis", "received"))
            spent = sum(
                terms[term] for term in ("decay", "group_size", "diversity", "spawn", "defense", "sent", "lost")
            )
            assert abs(gained - spent - terms["stock"]) <= 1e-6 * gained
        between = [row for row in rows(path, "qos") if row["from_worker"] != row["to_worker"]]
        assert {row["layer"] for row in between} == {"0", "1", "2", "3", "4"}

    def test_the_population_of_every_worker_is_recorded_to_the_end(self):
        path = self.run_world("--threads", 2, "--mode", 0, "--updates", 300)
        population = rows(path, "population")
        for worker in ("0", "1"):
            own = [row for row in population if row["worker"] == worker]
            assert int(own[-1]["update"]) == 300
            assert len(own) > 60
            births = [int(row["births"]) for row in own]
            assert births == sorted(births)
        living = sum(int(row["living"]) for row in population if row["update"] == "300")
        assert living == int(rows(path, "runs")[0]["living"]) == len(rows(path, "world"))

    def test_births_are_recorded_as_a_phylogeny_of_the_living_cells(self):
        # With a barrier, since workers that run one after the other have hardly any births.
        path = self.run_world("--workers", "1t,2p", "--mode", 0, "--updates", 600, "--phylogeny")
        births = {row["id"]: row for row in rows(path, "phylogeny")}
        run = rows(path, "runs")[1]
        assert {row["run"] for row in births.values()} == {"1"}
        assert len(births) >= 200 + int(run["births"]) > 200
        assert {row["worker"] for row in births.values()} == {"0", "1"}
        living = {row["id"] for row in births.values() if row["destruction_time"] == "inf"}
        world = rows(path, "world")
        assert living == {row["individual"] for row in world}
        for cell in world:
            ancestors, at = 0, cell["individual"]
            while births[at]["ancestor_list"] != "[NONE]":
                ancestors, at = ancestors + 1, births[at]["ancestor_list"].strip("[]")
            assert ancestors == int(cell["generations"])
        assert laxity("report", path).code == 0
        assert "Phylogeny" in (path / "report.html").read_text()

    def test_a_phylogeny_is_read_by_phylotrackpy(self):
        systematics = pytest.importorskip("phylotrackpy.systematics", reason="pip install phylotrackpy")
        path = self.run_world("--updates", 400, "--phylogeny")
        births = rows(path, "phylogeny")
        read = systematics.Systematics(lambda taxon: taxon)
        read.load_from_file(str(path / "phylogeny.csv"), "id", False)
        living = sum(row["destruction_time"] == "inf" for row in births)
        assert read.get_num_active() == living
        assert read.get_num_roots() == sum(row["ancestor_list"] == "[NONE]" for row in births)

    def test_pictures_are_of_equal_updates_of_all_workers(self):
        path = self.run_world("--threads", 2, "--mode", 0, "--updates", 300, "--pictures", 6)
        updates = sorted({int(row["update"]) for row in rows(path, "pictures")})
        assert updates == [0, 64, 128, 192, 256]
        first = [row for row in rows(path, "pictures") if row["update"] == "0"]
        assert len(first) == 200
        assert {row["age"] for row in first} == {"0"}
        assert not rows(self.run_world("--updates", 50, "--pictures", 0, output="none"), "pictures")

    def test_a_study_resumes(self):
        path = self.run_world("--updates", 50, "--replicates", 2)
        before = (path / "runs.csv").read_text()
        self.run_world("--updates", 50, "--replicates", 2)
        assert (path / "runs.csv").read_text() == before

    def test_a_world_continues_from_its_checkpoint(self):
        whole = self.run_world("--updates", 90, output="whole")
        saved = self.folder / "saved"
        save = ("--checkpoint", saved, "--checkpoint-interval", 25)
        self.run_world("--updates", 60, *save, output="first")
        path = self.run_world("--updates", 90, *save, "--resume", saved, output="second")
        assert rows(path, "runs")[0]["digest"] == rows(whole, "runs")[0]["digest"]
        assert int(rows(path, "runs")[0]["updates_total"]) == 30
        updates = {int(row["update"]) for row in rows(path, "pictures")}
        assert min(updates) == 60
        assert max(updates) <= 90
        assert laxity("report", path).code == 0

    def test_workers_continue_from_a_checkpoint_in_every_mode(self):
        for mode in (0, 3):
            saved = self.folder / f"saved_{mode}"
            team = ("--workers", "2p", "--mode", mode)
            self.run_world(*team, "--updates", 60, "--checkpoint", saved, output=f"first_{mode}")
            path = self.run_world(*team, "--updates", 90, "--resume", saved, output=f"second_{mode}")
            assert [row["updates"] for row in rows(path, "workers")] == ["30", "30"]

    def test_a_checkpoint_of_another_world_or_of_several_runs_is_refused(self):
        saved = self.folder / "saved"
        self.run_world("--updates", 20, "--checkpoint", saved)
        foreign = laxity("evolve", "run", *SMALL, "--updates", 40, "--seed", 2, "--resume", saved)
        assert foreign.code == 1
        assert f"{saved / 'worker-0.odd'}: is of another world" in foreign.complaint
        several = laxity("evolve", "run", *SMALL, "--replicates", 2, "--checkpoint", saved)
        assert several.code == 2
        assert "checkpoints are of a single run, this study has 2" in several.complaint

    def test_cells_descend_from_an_ancestor(self):
        genome = self.folder / "first.genome"
        assert laxity("evolve", "random", "--length", 33, "--output", genome).code == 0
        path = self.run_world("--updates", 20, "--ancestor", genome)
        assert {row["program_length"] for row in rows(path, "world")} == {"33"}

    def test_parameters_come_from_a_file(self):
        printed = laxity("evolve", "run", "--preset", "life", "--print-config")
        assert printed.code == 0, printed
        file = self.folder / "world.toml"
        file.write_text(printed.output)
        again = laxity("evolve", "run", "--config", file, "--print-config")
        assert again.output == printed.output
        file.write_text("[resource]\nkeep = 2\n")
        refused = laxity("evolve", "run", "--config", file, "--print-config")
        assert refused.code != 0
        assert f"{file}:2:8: expected a number from 0 to 1" in refused.complaint

    def test_the_report_shows_the_world(self):
        path = self.run_world("--threads", 2, "--mode", "0,3", "--duration", 0.5)
        ended = laxity("report", path)
        assert ended.code == 0, ended
        page = (path / "report.html").read_text()
        titles = ("Population over time", "Births over time", "Where resource comes from", "Kin groups")
        for title in (*titles, "Ages over time"):
            assert title in page
        assert "kin-group sizes" in page
