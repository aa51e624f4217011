#include "laxity/trace/detail/preload/session.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

#include "laxity/clock/clock.hpp"
#include "laxity/clock/clock_identity.hpp"
#include "laxity/error.hpp"
#include "laxity/trace/analysis/forced_algorithm.hpp"
#include "laxity/trace/detail/preload/agreement.hpp"
#include "laxity/trace/detail/preload/clock_plugin.hpp"
#include "laxity/trace/detail/preload/next.hpp"
#include "laxity/trace/detail/preload/recorder.hpp"
#include "laxity/trace/detail/preload/settings.hpp"

namespace laxity::trace::preload {
namespace {

constinit Next<int(Handle, int*)> comm_size("MPI_Comm_size");
constinit Next<int(Handle, int*)> comm_rank("MPI_Comm_rank");
constinit Next<int(char*, int*)> get_library_version("MPI_Get_library_version");

// The time that a process waits for others in MPI_Init. They leave it at nearly the same time, since the MPIs end it
// with a barrier; the rest is for files that appear late on other hosts. Only a job of which a part is traced waits
// that long.
constexpr std::int64_t patience_ns = 3'000'000'000;

struct Session {
  const Abi* abi = nullptr;
  std::uint32_t rank = 0, size = 1;
  Agreement agreement;
  ClockIdentity clock = unshared_clock;
  SynchronizeClock synchronize = nullptr;  // null unless all processes of MPI_COMM_WORLD call it
  Recorder* recorder = nullptr;            // null if this process is excluded
};

Session* session = nullptr;

// Prints a line in the first process only, if the launcher's environment tells which one that is.
void print_once(const std::string& line) {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name); rank != nullptr && std::strcmp(rank, "0") != 0) return;
  }
  std::fprintf(stderr, "laxity trace: %s\n", line.c_str());
}

std::string library_version() {
  std::array<char, 8193> text{};  // the largest MPI_MAX_LIBRARY_VERSION_STRING of the known MPIs
  int length = 0;
  if (next_symbol("MPI_Get_library_version") == nullptr || get_library_version(text.data(), &length) != 0) return {};
  const std::string version = text.data();
  return version.substr(0, version.find_first_of(",\n\t"));
}

// The clock plugin of this MPI, in the folder of this library. Null if it was not built.
SynchronizeClock find_clock_plugin(const char* family) {
  Dl_info self{};
  if (::dladdr(reinterpret_cast<const void*>(&find_clock_plugin), &self) == 0) return nullptr;
  std::string path = self.dli_fname;
  path.resize(path.rfind('/') + 1);
  path += std::string("liblaxity_trace_clock_") + family + ".so";
  void* opened = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return opened != nullptr ? reinterpret_cast<SynchronizeClock>(::dlsym(opened, synchronize_clock_symbol)) : nullptr;
}

ClockPoint clock_point(const Session& starting) {
  ClockPoint point;
  if (starting.synchronize != nullptr && starting.synchronize(&point) == 0) return point;
  return {.at_ns = Recorder::now_ns()};  // processes that read the same clock need no synchronization
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string program_path() {
  std::array<char, 4096> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

// Creates all folders of a path. A failure becomes apparent when the file is created.
void create_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    ::mkdir(path.substr(0, end).c_str(), 0755);
  }
  ::mkdir(path.c_str(), 0755);
}

std::string file_path(const Session& starting, const std::string& directory) {
  std::array<char, 64> name{};
  std::snprintf(name.data(), name.size(), "/%016llx-%06u.lxtrace",
                static_cast<unsigned long long>(starting.agreement.job), starting.rank);
  return directory + name.data();
}

// Records the environment variables that choose algorithms of this MPI.
void record_settings(Writer& writer, const std::string& mpi) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const std::string_view name = line.substr(0, line.find('='));
    if (chooses_algorithms(name, mpi) && name.size() < line.size()) writer.setting(name, line.substr(name.size() + 1));
  }
}

void deactivate_in_child() { Recorder::activate(nullptr); }

// Opens the trace file of this process. On failure, prints the reason and returns null.
Recorder* open_recorder(const Session& starting, const Settings& settings, const std::string& mpi) {
  auto recorder = std::make_unique<Recorder>(*starting.abi, settings.every);
  const std::string path = file_path(starting, settings.directory);
  const Process process{.job = starting.agreement.job,
                        .rank = starting.rank,
                        .size = starting.size,
                        .pid = static_cast<std::uint64_t>(::getpid()),
                        .every = settings.every,
                        .start_ns = Recorder::now_ns(),
                        .clock = starting.clock,
                        .host = host_name(),
                        .mpi = mpi,
                        .program = program_path()};
  Writer& writer = recorder->writer();
  if (!writer.create(path.c_str()) || !writer.process(process)) {
    std::fprintf(stderr, "laxity trace: rank %u is not traced: %s: %s\n", starting.rank, path.c_str(),
                 std::strerror(writer.error()));
    return nullptr;
  }
  return recorder.release();  // never destroyed: MPI may be called until the process exits
}

void begin() {
  const std::string mpi = library_version();
  const Abi* abi = abi_of(mpi.c_str());
  if (abi == nullptr) {
    print_once("the program is not traced: it uses " + (mpi.empty() ? "an unknown MPI" : mpi) +
               "; supported are Open MPI, MPICH and libraries derived from MPICH");
    return;
  }
  const Settings settings = settings_from_environment();
  auto starting = std::make_unique<Session>();
  int rank = 0;
  int size = 1;
  comm_rank(abi->comm_world, &rank);
  comm_size(abi->comm_world, &size);
  starting->abi = abi;
  starting->rank = static_cast<std::uint32_t>(rank);
  starting->size = static_cast<std::uint32_t>(size);
  starting->clock = steady_clock_identity();
  create_directories(settings.directory);
  const SynchronizeClock plugin = find_clock_plugin(abi->family);
  const Participant self{
      .key = job_key(), .rank = starting->rank, .size = starting->size, .is_able = plugin != nullptr};
  starting->agreement = agree(settings.directory, self, patience_ns);
  if (starting->agreement.all) starting->synchronize = plugin;
  const ClockPoint point = clock_point(*starting);
  // The synchronization, which is collective, has shown rank 0 that all have read the decision.
  if (starting->agreement.all && rank == 0) remove_meeting(starting->agreement, starting->size);
  session = starting.release();
  if (const char* preload = std::getenv("LD_PRELOAD"); preload != nullptr) {
    ::setenv("LD_PRELOAD", preload_without_this_library(preload).c_str(), 1);
  }
  if (!settings.includes(session->rank)) return;
  session->recorder = open_recorder(*session, settings, mpi);
  if (session->recorder == nullptr) return;
  session->recorder->writer().clock(point);
  record_settings(session->recorder->writer(), mpi);
  ::pthread_atfork(nullptr, nullptr, deactivate_in_child);
  session->recorder->register_communicator(abi->comm_world);
  Recorder::activate(session->recorder);
}

}  // namespace

void begin_session() noexcept {
  if (session != nullptr) return;
  try {
    begin();
  } catch (const std::exception& error) {
    print_once(std::string("the program is not traced: ") + error.what());
  }
}

void end_session() noexcept {
  if (session == nullptr) return;
  const ClockPoint point = clock_point(*session);
  Recorder* recorder = session->recorder;
  if (recorder == nullptr || Recorder::active() != recorder) return;
  Recorder::activate(nullptr);
  Writer& writer = recorder->writer();
  writer.clock(point);
  writer.end({.at_ns = Recorder::now_ns(), .calls = recorder->calls(), .recorded = recorder->recorded()});
  writer.close();
  if (writer.error() != 0) {
    std::fprintf(stderr, "laxity trace: rank %u: the trace ends early: %s\n", session->rank,
                 std::strerror(writer.error()));
  }
}

}  // namespace laxity::trace::preload
