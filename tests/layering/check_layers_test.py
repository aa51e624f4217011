"""Plants one broken rule at a time in a small tree and expects check_layers to name it."""

import pytest
from check_layers import broken_rules


class TestCheckLayers:
    """Each test writes the files it is about; everything else is in order."""

    @pytest.fixture(autouse=True)
    def tree(self, tmp_path):
        """Make a tree of two modules in which every rule holds."""
        self.root = tmp_path
        self.write(
            "ARCHITECTURE.md",
            "```\napps/laxity: color\nworkloads: coloring\n```\n| folder | what | may include |\n|---|---|---|\n"
            "| `transport/` | moves frames | |\n| `trace/` | the tracer | |\n"
            "| `channel/` | ends: `inlets/`, `inlets/typed/` | `transport` |\n",
        )
        self.write("laxity/transport/CMakeLists.txt", "HEADERS ring.hpp detail/word.hpp")
        self.write("laxity/transport/ring.hpp", '#pragma once\n#include "laxity/transport/detail/word.hpp"\n')
        self.write("laxity/transport/detail/word.hpp", "#pragma once\n")
        self.write("laxity/channel/CMakeLists.txt", "HEADERS inlet.hpp")
        self.write("laxity/channel/inlet.hpp", '#pragma once\n#include "laxity/transport/ring.hpp"\n')

    def write(self, path, text):
        """Write a file of the tree."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def expect(self, *needles):
        """Expect exactly one finding, which names all of the needles."""
        findings = broken_rules(self.root)
        assert len(findings) == 1, findings
        for needle in needles:
            assert needle in findings[0]

    def test_a_tree_in_order_passes(self):
        assert broken_rules(self.root) == []

    def test_transport_may_not_include_channel(self):
        self.write("laxity/transport/ring.cpp", '#include "laxity/channel/inlet.hpp"\n')
        self.expect("laxity/transport/ring.cpp:1", "transport must not include channel")

    def test_the_table_of_the_architecture_decides(self):
        self.write("laxity/transport/ring.cpp", '#include "laxity/channel/inlet.hpp"\n')
        text = (self.root / "ARCHITECTURE.md").read_text()
        self.write("ARCHITECTURE.md", text.replace("moves frames | |", "moves frames | `channel` |"))
        assert broken_rules(self.root) == []

    @pytest.mark.parametrize("folder", ["laxity/mesh", "laxity/channel/outlets", "workloads/phold", "apps/laxity/top"])
    def test_a_folder_that_the_architecture_does_not_name_is_found(self, folder):
        (self.root / folder).mkdir(parents=True)
        self.expect("ARCHITECTURE.md", f"does not name the folder {folder}/")

    def test_folders_that_the_architecture_names_are_in_order(self):
        for folder in ("channel/inlets/typed", "channel/detail/x"):
            (self.root / "laxity" / folder).mkdir(parents=True)
        for folder in ("workloads/coloring", "apps/laxity/color"):
            (self.root / folder).mkdir(parents=True)
        assert broken_rules(self.root) == []

    def test_details_of_another_module_are_its_own(self):
        self.write("laxity/channel/inlet.cpp", '\n#include "laxity/transport/detail/word.hpp"\n')
        self.expect("laxity/channel/inlet.cpp:2", "detail of transport")

    def test_a_workload_uses_public_headers_only(self):
        self.write("workloads/coloring/node.cpp", '#include "laxity/transport/detail/word.hpp"\n')
        self.expect("workloads/coloring/node.cpp:1")

    def test_mpi_stays_in_its_files(self):
        self.write("laxity/transport/mpi.cpp", "#include <mpi.h>\n")
        self.write("laxity/transport/detail/mpi_end.cpp", "#include <mpi.h>\n")
        self.write("laxity/transport/ring.cpp", "#include <mpi.h>\n")
        self.expect("laxity/transport/ring.cpp:1", "<mpi.h>")

    def test_every_call_of_mpi_is_checked_under_its_own_name(self):
        self.write(
            "laxity/transport/mpi.cpp",
            "// MPI_Barrier(comm) in a comment\n"
            'mpi::check("MPI_Barrier",\n           MPI_Barrier(comm));\n'
            'const mpi::Result sent{"MPI_Send", MPI_Send(a, b)};\n'
            'throw Error("MPI_Send(" + name);\n'
            "operator MPI_Comm() const;\n",
        )
        self.write("laxity/trace/detail/preload/calls.cpp", "MPI_Barrier(comm);\n")
        self.write("apps/transpose_fft/main.cpp", "MPI_Barrier(comm);\n")
        assert broken_rules(self.root) == []
        self.write("laxity/transport/mpi.cpp", "int rank = 0;\nMPI_Comm_rank(comm, &rank);\n")
        self.expect("laxity/transport/mpi.cpp:2", 'mpi::check("MPI_Comm_rank", MPI_Comm_rank(...))')
        self.write("laxity/transport/mpi.cpp", 'mpi::check("MPI_Send", MPI_Recv(a, b));\n')
        self.expect("laxity/transport/mpi.cpp:1", "MPI_Recv")

    def test_benchmarks_and_simulated_ranks_check_their_calls_of_mpi_too(self):
        for path in ("benchmarks/ring/ring.cpp", "apps/smpi_ranks/main.cpp"):
            self.write(path, "MPI_Barrier(comm);\n")
            self.expect(f"{path}:1", "MPI_Barrier")
            self.write(path, 'mpi::check("MPI_Barrier", MPI_Barrier(comm));\n')

    def test_flags_belong_to_the_command_line(self):
        text = '// --depth in a comment\nfail("start it with mpirun --mca btl self");\n'
        self.write("laxity/transport/mpi.cpp", text)
        self.write("apps/laxity/color/options.cpp", 'add("--depth");\n')
        assert broken_rules(self.root) == []
        self.write("workloads/coloring/run.cpp", 'int a;\nthrow UsageError("depth is 0: \\"raise\\" --max-depth");\n')
        self.expect("workloads/coloring/run.cpp:2", "--max-depth", '"option = value: rule"')

    def test_a_header_that_cmake_does_not_list_would_not_be_installed(self):
        self.write("laxity/channel/let.hpp", "#pragma once\n")
        self.expect("laxity/channel/let.hpp", "not listed")

    def test_a_detail_that_a_public_header_needs_is_installed_too(self):
        self.write("laxity/transport/detail/only_sources.hpp", "#pragma once\n")
        self.write("laxity/transport/CMakeLists.txt", "HEADERS ring.hpp")
        self.expect("laxity/transport/ring.hpp", "detail/word.hpp, which is not listed")

    def test_a_header_guards_itself(self):
        self.write("laxity/channel/inlet.hpp", "\n")
        self.expect("laxity/channel/inlet.hpp", "#pragma once")

    def test_relative_includes_are_refused(self):
        self.write("laxity/channel/inlet.cpp", '#include "inlet.hpp"\n')
        self.expect("laxity/channel/inlet.cpp:1", "from the root")

    def test_long_files_are_refused(self):
        self.write("laxity/channel/inlet.cpp", "\n" * 601)
        self.expect("laxity/channel/inlet.cpp:601", "longer than 600")

    def test_names_that_say_nothing_are_refused(self):
        self.write("workloads/coloring/node_utils.cpp", "")
        self.expect("'utils'")

    def test_a_new_top_level_folder_needs_a_decision(self):
        (self.root / "extras").mkdir()
        self.expect("extras", "decision record")
