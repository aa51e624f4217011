from spack.package import *


class Laxity(CMakePackage):
    """Parallel programs that do not wait for each other.

    Best-effort channels and meshes, optimistic simulation (Time Warp), and collectives chosen for
    late processes.
    """

    homepage = "https://example.org/laxity"
    url = "https://example.org/laxity/laxity-0.1.0.tar.gz"

    license("MIT")

    version("0.1.0", sha256="0" * 64)  # to be set with the address of the archive

    variant("mpi", default=True, description="Ranks, traces and collectives over MPI")
    variant("hwloc", default=True, description="Placement of workers on cores")
    variant("metis", default=True, description="Partitions of graphs by METIS")

    generator("ninja")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("cli11@2.3:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("tomlplusplus@3.3:", type="build")
    depends_on("fmt@9:")
    depends_on("mpi", when="+mpi")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("metis@5:", when="+metis")

    conflicts("%gcc@:11", msg="laxity needs C++20 as g++ 12 has it")
    conflicts("%clang@:15", msg="laxity needs C++20 as clang 16 has it")

    def cmake_args(self):
        return [
            self.define("LAXITY_TESTS", False),
            self.define("LAXITY_C_INTERFACE", True),
            self.define_from_variant("LAXITY_MPI", "mpi"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_hwloc", not self.spec.satisfies("+hwloc")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_METIS", not self.spec.satisfies("+metis")),
        ]

    @property
    def build_targets(self):
        return ["all", "docs"]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_version(self):
        Executable(self.prefix.bin.laxity)("--version")
