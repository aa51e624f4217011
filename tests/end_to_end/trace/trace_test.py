"""Runs `laxity trace` of the program that $LAXITY_PROGRAM names on programs in C, C++, Fortran and Python.

Under every MPI that is installed: exact counts and bytes, unchanged output, unusual ends, other tools.
"""

import csv
import json
import math
import os
import re
import shutil
from pathlib import Path

import pytest
from kit import PROGRAM, case, read_manifest, rows
from traced_programs import (
    LIBRARY,
    MPIS,
    PROCESSES,
    SOURCES,
    Call,
    Traced,
    as_call,
    calls_between_groups,
    calls_in_place,
    calls_on_the_world,
    expected_calls,
    more_calls_in_place,
    read_calls,
    rooted,
    run,
)


class TestCounts(Traced):
    def test_every_collective_of_a_c_program_is_counted_once_with_its_bytes(self):
        for mpi in self.each_mpi():
            directory, output, complaint = self.traced(mpi, self.built(mpi, "collectives.c"))
            assert output.startswith("checksum "), output
            assert "4 of 4 processes" in complaint
            self.assert_calls(directory, expected_calls)

    def test_the_calls_of_all_processes_are_joined(self):
        for mpi in self.each_mpi():
            directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.c"))
            with open(directory / "calls.csv", newline="", encoding="ascii") as file:
                calls = list(csv.DictReader(file))
            sizes = {"world": 4}
            for call in calls:  # neighbors and both sides of an inter-communicator together are four as well
                sizes.setdefault(call["communicator"], int(call["processes"]))
                assert int(call["processes"]) == sizes[call["communicator"]], call
            # Two halves with six calls each, their twins with one, ring with two, inter-communicator with three.
            assert sorted(sizes.values()) == [2, 2, 2, 2, 4, 4, 4]

    def test_threads_asked_for_change_nothing(self):
        for mpi in self.each_mpi():
            directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.c"), WITH_THREADS="1")
            self.assert_calls(directory, expected_calls)

    def test_fortran_by_all_three_interfaces(self):
        def expected(rank):
            return [
                Call("barrier", 0, 0),
                rooted("bcast", rank, 1, (20, 0), (0, 20)),
                Call("allreduce", 28, 28),
                Call("allreduce", 28, 28, in_place=True),
                Call("alltoall", 48, 48),
                Call("allreduce", 28, 28, 2, "nonblocking"),
            ]

        for mpi in self.each_mpi("compile_fortran"):
            for interface in ("-DUSE_MPIF", "-DUSE_MPI", "-DUSE_F08"):
                with case(interface=interface):
                    # mpif.h declares nothing, so gfortran wants all calls of a procedure to look the same.
                    lenient = ("-fallow-argument-mismatch",) if interface == "-DUSE_MPIF" else ()
                    program = self.built(
                        mpi,
                        "collectives.F90",
                        interface,
                        *lenient,
                        compiler="compile_fortran",
                    )
                    directory, output, _ = self.traced(mpi, program)
                    assert output.startswith("sum "), output
                    ranks = self.assert_calls(directory, expected)
                    for row in ranks[0]:
                        assert program.name in row["site"], "the call site lies in the bindings"

    def test_cpp(self):
        for mpi in self.each_mpi("compile_cxx"):
            directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.cpp", compiler="compile_cxx"))
            self.assert_calls(
                directory,
                lambda rank: (
                    [
                        Call("allreduce", 800, 800),
                        rooted("bcast", rank, 0, (80, 0), (0, 80)),
                    ]
                    * 3
                ),
            )

    def test_python(self):
        """Under /usr/bin/python3 and $LAXITY_MPI4PY (a Python with mpi4py), with the MPI that each was built for."""
        tested = 0
        for python in filter(shutil.which, ("/usr/bin/python3", os.environ.get("LAXITY_MPI4PY", ""))):
            code, version, _ = run(python, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())")
            family = "openmpi" if version.startswith("Open MPI") else "mpich"
            mpi = next((mpi for mpi in MPIS if mpi.name == family), None)
            if code != 0 or mpi is None:
                continue
            directory, output, _ = self.traced(mpi, python, SOURCES / "collectives.py")
            assert output.startswith("sums "), output
            self.assert_calls(
                directory,
                lambda rank: [
                    Call("barrier", 0, 0),
                    rooted("bcast", rank, 1, (20, 0), (0, 20)),
                    Call("allreduce", 28, 28),
                    Call("allreduce", 28, 28, in_place=True),
                    Call("allreduce", 28, 28, 2, "nonblocking"),
                ],
            )
            tested += 1
        if not tested:
            pytest.skip("no Python with mpi4py for an MPI that is installed")

    def test_persistent_operations_count_at_each_start(self):
        for mpi in self.each_mpi():
            directory, output, _ = self.traced(mpi, self.built(mpi, "cases.c"), "persistent")
            assert output == "sums 4 4\n"
            self.assert_calls(directory, lambda _: [Call("allreduce", 4, 4, start="persistent")] * 7)

    def test_large_counts_are_traced_where_mpi_has_them(self):
        def expected(rank):
            return [
                *calls_on_the_world(rank)[1:],
                Call("allreduce", 28, 28, start="nonblocking"),
                *[Call("allreduce", 28, 28, start="persistent")] * 2,
                Call("alltoall", 48, 48, in_place=True),
                Call("neighbor_allgather", 12, 24),
                Call("neighbor_alltoall", 24, 24),
                Call("bcast", 3_000_000_000, 0, 1, root=0),
                rooted("reduce", rank, 0, (8, 8), (8, 0)),
            ]

        tested = 0
        for mpi in self.each_mpi():
            if not self.has_large_counts(mpi):
                continue
            for flags in (
                (),
                ("-Wl,-z,now",),
            ):  # names bound at the first call, and all at the start
                directory, _, _ = self.traced(mpi, self.built(mpi, "large_counts.c", *flags))
                self.assert_calls(directory, expected)
            directory, _, _ = self.traced(mpi, self.built(mpi, "large_counts.c"), LD_BIND_NOW="1")
            self.assert_calls(directory, expected)
            tested += 1
        if not tested:
            pytest.skip("no MPI with large counts")

    def test_programs_see_large_counts_only_if_their_mpi_has_them(self):
        for mpi in self.each_mpi():
            program = self.built(mpi, "cases.c", "-ldl")
            _, output, _ = self.traced(mpi, program, "asks", processes=1)
            has = self.has_large_counts(mpi)
            assert output == ("MPI_Bcast_c is there\n" if has else "MPI_Bcast_c is not there\n")

    def test_algorithms_that_the_environment_forces_are_exported(self):
        forced = {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_allreduce_algorithm": "3",
            "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling",
        }
        names = {"openmpi": "3", "mpich": "recursive_doubling"}
        for mpi in self.each_mpi():
            if mpi.name not in names:
                continue
            directory, _, complaint = self.traced(mpi, self.built(mpi, "collectives.c"), **forced)
            assert "environment variables forced algorithms: " in complaint
            for row in read_calls(directory)[0]:
                what = (row["collective"], row["start"], row["remote_size"])
                forced_name = names[mpi.name] if what == ("allreduce", "blocking", "0") else ""
                assert row["algorithm"] == forced_name, row

    def test_every_second_call_of_two_processes(self):
        for mpi in self.each_mpi():
            options = ("--every", 2, "--processes", "1-2")
            directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.c"), options=options)
            ranks = read_calls(directory)
            assert sorted(ranks) == [1, 2]
            of_world = [row["collective"] for row in ranks[1] if row["communicator"] == "world"]
            all_of_world = [
                *calls_on_the_world(1),
                *calls_in_place(1),
                *more_calls_in_place(1),
                Call("reduce", 8, 0),
            ]
            assert of_world == [call.collective for call in all_of_world][::2]


class TestConstants(Traced):
    def test_constants_of_the_abi_are_those_of_mpi_h(self):
        root = Path(__file__).parents[3]
        preload = root / "laxity" / "trace" / "detail" / "preload"
        for mpi in self.each_mpi("compile_cxx"):
            program = self.folder / f"constants_{mpi.name}"
            sources = (
                SOURCES / "constants.cpp",
                preload / "abi.cpp",
                preload / "next.cpp",
            )
            code, _, complaint = run(
                mpi.compile_cxx,
                "-std=c++20",
                f"-I{root}",
                *sources,
                "-ldl",
                "-o",
                program,
            )
            assert code == 0, complaint
            assert run(program)[:2] == (0, "")


class TestNames(Traced):
    def test_every_fortran_name_of_a_collective_is_intercepted(self):
        """In the spellings of all compilers, which the libraries define as aliases."""
        if not shutil.which("nm"):
            pytest.skip("no nm")
        collectives = "|".join(
            call.collective for call in [*expected_calls(0), Call("neighbor_(allgatherv|alltoall[vw])", 0, 0)]
        )
        pattern = re.compile(
            rf"(p?mpix?|pmpir)_(i?({collectives})|({collectives})_init)(_f08|_f08ts(_large)?)?_{{0,2}}"
        )
        intercepted = self.defined_in(LIBRARY)
        for mpi in self.each_mpi("compile_fortran"):
            program = self.built(mpi, "collectives.F90", "-DUSE_F08", compiler="compile_fortran")
            libraries = re.findall(r"=> (\S*mpi\S*) ", run("ldd", program)[1])
            names = set().union(*(self.defined_in(library) for library in libraries))
            wanted = {
                name for name in names if name in (name.lower(), name.upper()) and pattern.fullmatch(name.lower())
            }
            assert len(wanted) > 500
            assert wanted - intercepted == set()

    def defined_in(self, library):
        return {
            line.split()[-1].partition("@")[0] for line in run("nm", "-D", "--defined-only", library)[1].splitlines()
        }

    def test_fortran_programs_with_other_spellings_have_their_call_sites(self):
        for mpi in self.each_mpi("compile_fortran"):
            for spelling in ("-fno-underscoring", "-fsecond-underscore"):
                flags = ("-DUSE_MPIF", "-fallow-argument-mismatch", spelling)
                program = self.built(mpi, "collectives.F90", *flags, compiler="compile_fortran")
                directory, output, _ = self.traced(mpi, program)
                assert output.startswith("sum "), output
                for row in read_calls(directory)[0]:
                    assert program.name in row["site"], "the call site lies in the bindings"


class TestClocks(Traced):
    def test_processes_with_different_clocks_are_synchronized(self):
        """Rank 1 runs in a time namespace whose monotonic clock is 100 s ahead."""
        if run("unshare", "--time", "--monotonic", 100, "true")[0] != 0:
            pytest.skip("no right to make time namespaces")
        start = (
            "if [ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 1 ]; then exec unshare --time --monotonic 100 $0; fi; exec $0"
        )
        for mpi in self.each_mpi():
            if not Path(LIBRARY).with_name(f"liblaxity_trace_clock_{mpi.name}.so").exists():
                pytest.skip(f"no clock library for {mpi.name}")
            program = self.built(mpi, "collectives.cpp", compiler="compile_cxx")
            directory, _, complaint = self.traced(mpi, "sh", "-c", start, program, processes=2)
            assert "not synchronized" not in complaint
            with open(directory / "calls.csv", newline="", encoding="ascii") as file:
                skews = [float(row["skew_us"]) for row in csv.DictReader(file)]
            assert len(skews) == 6
            assert max(skews) < 10e6, "the clocks are 100 s apart"


class TestUnusualEnds(Traced):
    def test_records_of_a_killed_process_survive(self):
        for mpi in self.each_mpi():
            program = self.built(mpi, "cases.c")
            directory, _, complaint = self.traced(mpi, program, "killed", processes=2, code=None)
            assert "did not reach MPI_Finalize" in complaint
            ranks = read_calls(directory)
            for rank in (0, 1):
                allreduces = [row for row in ranks[rank] if row["collective"] == "allreduce"]
                assert len(allreduces) == 1000
            assert read_manifest(directory)["status"] == "failed"

    def test_a_program_may_forget_to_finalize(self):
        for mpi in self.each_mpi():
            directory = self.folder / f"forgot_{mpi.name}"
            run(
                PROGRAM,
                "trace",
                "--output",
                directory,
                "--",
                self.built(mpi, "cases.c"),
                "no_finalize",
            )
            assert [as_call(row) for row in read_calls(directory)[0]] == [Call("barrier", 0, 0, 1)]

    def test_children_that_are_no_mpi_programs_are_left_alone(self):
        for mpi in self.each_mpi():
            directory, output, _ = self.traced(mpi, self.built(mpi, "cases.c"), "children", processes=2)
            assert output == "preload=\nchild 3\n"
            assert {rank: len(rows) for rank, rows in read_calls(directory).items()} == {0: 2, 1: 2}
            assert len(list((directory / "trace").iterdir())) == 2

    def test_errors_and_errno_are_those_of_mpi(self):
        for mpi in self.each_mpi():
            directory, output, _ = self.traced(mpi, self.built(mpi, "cases.c"), "errors", processes=1)
            assert output.startswith("MPI_ERR_ROOT errno"), output
            assert [row["failed"] for row in read_calls(directory)[0]] == ["1"]

    def test_a_folder_that_cannot_be_written_is_one_line_and_no_failure(self):
        for mpi in self.each_mpi():
            program = self.built(mpi, "cases.c")
            code, _, complaint = run(program, LD_PRELOAD=LIBRARY, LAXITY_TRACE_DIR="/proc/nowhere")
            assert code == 0
            assert complaint.count("laxity trace:") == 1, complaint

    def test_invalid_settings_are_one_line_and_no_failure(self):
        for mpi in self.each_mpi():
            code, _, complaint = run(
                self.built(mpi, "cases.c"),
                LD_PRELOAD=LIBRARY,
                LAXITY_TRACE_EVERY="often",
            )
            assert code == 0
            reason = "LAXITY_TRACE_EVERY: expected a number; found 'often'"
            assert complaint == f"laxity trace: the program is not traced: {reason}\n"


class TestOtherTools(Traced):
    def test_another_preloaded_tool_sees_all_calls_before_and_after_the_tracer(self):
        for mpi in self.each_mpi():
            program = self.built(mpi, "collectives.c")
            tool = self.built(mpi, "other_tool.c", "-shared", "-fPIC")
            for order in (f"{LIBRARY}:{tool}", f"{tool}:{LIBRARY}"):
                directory = self.folder / f"tools{order.startswith(str(tool))}_{mpi.name}"
                words = (
                    "env",
                    f"LD_PRELOAD={order}",
                    f"LAXITY_TRACE_DIR={directory}",
                    program,
                )
                code, _, complaint = run(mpi.launch, "-n", PROCESSES, *words)
                assert code == 0, complaint
                # Two barriers and three all-reduces, blocking; mixed names keep nothing from either.
                assert "other tool: 5\n" in complaint
                self.assert_calls(directory, expected_calls)

    def test_an_unknown_mpi_is_one_line_and_left_alone(self):
        library = self.folder / "libother.so"
        program = self.folder / "other_program"
        for words in (("-shared", "-fPIC", SOURCES / "other_mpi.c", "-o", library),
                      (SOURCES / "other_mpi_program.c", library, "-o", program)):  # fmt: skip
            assert run("cc", *words)[0] == 0
        code, output, complaint = run(program, LD_PRELOAD=LIBRARY)
        assert (code, output) == (0, "barrier 42\n")
        assert complaint.count("\n") == 1
        assert "the program is not traced: it uses Unheard-of MPI 9" in complaint

    def test_programs_without_mpi_are_left_alone(self):
        code, output, complaint = run("echo", "hello", LD_PRELOAD=LIBRARY)
        assert (code, output, complaint) == (0, "hello\n", "")


class TestCommandLine(Traced):
    def test_exports(self):
        mpi = self.some_mpi()
        directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.cpp", compiler="compile_cxx"))
        code, text, _ = run(PROGRAM, "trace", "export", directory, "--format", "json")
        events = json.loads(text)["traceEvents"]
        assert (code, sum(event["ph"] == "X" for event in events)) == (0, 6 * PROCESSES)
        code, pattern, _ = run(
            PROGRAM,
            "trace",
            "export",
            directory,
            "--format",
            "pattern",
            "--collective",
            "allreduce",
        )
        delays = [float(line) for line in pattern.splitlines() if not line.startswith("#")]
        assert (code, len(delays)) == (0, PROCESSES)
        assert all(delay >= 0 for delay in delays)
        sites = self.folder / "sites"
        run(
            PROGRAM,
            "trace",
            "export",
            directory,
            "--format",
            "pattern",
            "--per",
            "call",
            "--output",
            sites,
        )
        assert len(list(sites.iterdir())) == 3

    def test_an_otf2_archive_has_every_call_with_its_communicator_root_and_bytes(self):
        python = os.environ.get("LAXITY_MPI4PY", "")
        if not shutil.which(python) or run(python, "-c", "import otf2")[0] != 0:
            pytest.skip("no Python package otf2")

        def records(rank):
            between_groups = calls_between_groups(rank)
            for call in expected_calls(rank):
                is_inter = call in between_groups
                root = "self" if call.root == -2 else "none" if is_inter or call.root < 0 else call.root
                size = PROCESSES if is_inter else call.communicator_size
                if not call.collective.startswith("neighbor_"):
                    yield f"{rank} {call.collective} {call.sent} {call.received} {root} {size}"

        for mpi in self.each_mpi():
            directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.c"))
            archive = self.folder / f"otf2_{mpi.name}"
            words = ("trace", "export", directory, "--format", "otf2", "--output", archive)
            code, _, complaint = run(PROGRAM, *words, LAXITY_PYTHON=python)
            assert code == 0, complaint
            code, text, complaint = run(python, SOURCES / "read_otf2.py", archive / "traces.otf2")
            assert code == 0, complaint
            expected = [record for rank in range(PROCESSES) for record in records(rank)]
            assert sorted(text.splitlines()) == sorted(expected)
            if shutil.which("otf2-print"):
                code, text, complaint = run("otf2-print", archive / "traces.otf2")
                assert (code, text.count("MPI_COLLECTIVE_END")) == (0, len(expected) - 6 * PROCESSES), complaint

    def test_call_sites_are_named_by_function_and_line(self):
        if not shutil.which("addr2line"):
            pytest.skip("no addr2line")
        cases = [(mpi, flags) for mpi in self.each_mpi() for flags in (("-g",), ("-g", "-no-pie"))]
        for mpi, flags in cases:  # a program with a fixed position has other addresses
            directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.c", *flags))
            _, text, _ = run(PROGRAM, "trace", "export", directory, "--format", "json")
            sites = {event["args"]["site"] for event in json.loads(text)["traceEvents"] if event["ph"] == "X"}
            lines = (SOURCES / "collectives.c").read_text().splitlines()
            for collective in ("MPI_Exscan(send", "MPI_Barrier(twin"):
                number = next(i + 1 for i, line in enumerate(lines) if collective in line)
                assert any(site.endswith(f"(collectives.c:{number})") for site in sites), sites

    def test_merging_by_hand_gives_the_same_tables(self):
        mpi = self.some_mpi()
        directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.c"))
        by_hand = self.folder / "by_hand"
        shutil.copytree(directory / "trace", by_hand)
        code, _, complaint = run(PROGRAM, "trace", "merge", by_hand)
        assert code == 0, complaint
        for table in ("runs", "collectives", "processes", "delays", "calls", "lateness"):
            assert (by_hand / f"{table}.csv").read_text() == (directory / f"{table}.csv").read_text()
        assert run(PROGRAM, "trace", "merge", by_hand)[0] == 0, "merging again"

    def test_the_time_in_collectives_is_divided_and_attributed(self):
        mpi = self.some_mpi()
        directory, _, summary = self.traced(mpi, self.built(mpi, "collectives.c"))
        assert "waiting for late processes (between" in summary
        late = rows(directory, "lateness")
        for row in rows(directory, "collectives"):
            assert float(row["late_low_s"]) <= float(row["late_s"]) <= float(row["late_high_s"])
            inside = sum(float(row[part]) for part in ("transfer_s", "late_s", "unknown_s"))
            assert math.isclose(inside, float(row["inside_s"]), rel_tol=1e-6)
            keys = ("collective", "start", "communicator")
            same = [each for each in late if all(each[key] == row[key] for key in keys)]
            assert math.isclose(sum(float(each["waiting_s"]) for each in same), float(row["late_s"]), abs_tol=1e-9)

    def test_a_traced_program_is_simulated_as_a_schedule(self):
        mpi = self.some_mpi()
        directory, _, _ = self.traced(mpi, self.built(mpi, "collectives.c"))
        simulated = set()
        for form in ("goal", "goal-binary"):
            file = self.folder / f"app.{form}"
            exported = (
                "trace",
                "export",
                directory,
                "--format",
                form,
                "--output",
                file,
                "--algorithms",
                "allreduce=ring",
            )
            code, _, complaint = run(PROGRAM, *exported)
            assert code == 0, complaint
            assert (
                "calls have no schedule: their time counts as computing" in complaint
            )  # nonblocking ones, for example
            code, output, complaint = run(PROGRAM, "schedule", "run", file)
            assert code == 0, complaint
            assert output.startswith(f"{PROCESSES} ranks, ")
            simulated.add(output)
        assert len(simulated) == 1
        code, _, complaint = run(
            PROGRAM, "trace", "export", directory, "--format", "goal", "--algorithms", "allreduce=best"
        )
        assert (code, complaint.count("\n")) == (2, 1), complaint

    def test_misuse_is_one_line(self):
        empty = self.folder / "empty"
        empty.mkdir()
        for words, code, what in (
            ((), 2, "expected a command"),
            (("summary", empty), 2, "no trace files"),
            (
                ("--output", self.folder / "x", "--", "no-such-launcher"),
                1,
                "cannot be started",
            ),
            (("--every", 0, "--", "true"), 2, "at least 1"),
        ):
            got, _, complaint = run(PROGRAM, "trace", *words)
            assert (got, complaint.count("\n")) == (code, 1), complaint
            assert what in complaint

    def test_a_program_without_mpi_leaves_nothing_to_summarize(self):
        code, _, complaint = run(PROGRAM, "trace", "--output", self.folder / "none", "--", "true")
        assert code == 2
        assert "no trace files" in complaint
