#include "laxity/launch/mpi_session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "laxity/clock/clock_identity.hpp"
#include "laxity/clock/mpi_sync.hpp"
#include "laxity/clock/mpi_wait.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/job.hpp"
#include "laxity/launch/launcher.hpp"
#include "laxity/launch/mpi_reports.hpp"
#include "laxity/launch/mpi_status_exchange.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity {
namespace {

#if defined(OPEN_MPI)
constexpr const char* family = "Open MPI";
const std::string version = std::to_string(OMPI_MAJOR_VERSION) + '.' + std::to_string(OMPI_MINOR_VERSION) + '.' +
                            std::to_string(OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
constexpr const char* family = "MPICH";
const std::string version = MPICH_VERSION;
#else
constexpr const char* family = "MPI";
const std::string version = std::to_string(MPI_VERSION) + '.' + std::to_string(MPI_SUBVERSION);
#endif

[[noreturn]] void fail_because_foreign(const Launch& launch, const std::string& what) {
  const std::string with = launch.is_srun() ? "srun --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH), or with " : "";
  throw Error("this laxity was built with " + mpi_of_this_build() + ", but was started by " + launch.launcher + what +
              ": start it with " + with + "the launcher of " + family + ", or build it with the other MPI");
}

// True if srun has set none of the variables by which ranks find each other. Open MPI would end the process at once.
bool srun_connects_nobody() { return std::getenv("PMIX_RANK") == nullptr && std::getenv("PMI_RANK") == nullptr; }

MpiVariant variant_named(const std::string& name) {
  if (name.empty()) return recommended_mpi_variant;
  if (const auto variant = mpi_variant_named(name)) return *variant;
  throw UsageError("RankOptions::variant is '" + name + "': must be two_sided, ready_send or one_sided");
}

// With more ranks than cores Open MPI yields the processor in every call that finds no message. A best-effort worker
// polls in every update, so it would wait for the other ranks of its core each time. This has an effect before MPI_Init
// only; a setting of the user prevails. Waits of this library yield by themselves.
void poll_without_yielding() noexcept {
#if defined(OPEN_MPI)
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "0", 0);
#endif
}

// Waits for a nonblocking collective and yields, which its blocking form does not do: see above.
void wait_for(MPI_Request request) { wait_yielding(request, 100); }

int checked_count(std::size_t bytes) {
  if (bytes > INT_MAX) throw Error("a message over MPI has at most 2 GiB, not " + std::to_string(bytes) + " bytes");
  return static_cast<int>(bytes);
}

std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  mpi::check("MPI_Get_library_version", MPI_Get_library_version(text.data(), &length));
  return {text.data(), static_cast<std::size_t>(length)};
}

// MPICH 4.0 over UCX: in MPI_Finalize each rank tells the others over TCP that it closes its connections, waits for
// their answers, and then answers nobody anymore. A rank that answered before it entered MPI_Finalize itself, because it
// was still in another call, asks too late and waits forever. So no rank enters it before all have left their last call.
// They cannot tell each other, since that would be a call; they wait longer than a lost packet takes to be sent again.
void wait_until_others_left_their_last_call(const std::vector<std::string>& host_names) {
  if (std::ranges::all_of(host_names, [&](const auto& name) { return name == host_names.front(); })) return;
  const std::string library = library_version();
  if (library.find("MPICH Version:\t4.0") == library.npos || library.find("ch4:ucx") == library.npos) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

}  // namespace

MpiSession::MpiSession(const RankOptions& options)
    : one_thread_sends_(options.one_thread_sends), variant_(variant_named(options.variant)) {
  int is_initialized = 0;
  mpi::check("MPI_Initialized", MPI_Initialized(&is_initialized));
  if (is_initialized == 0) initialize(options.threads > 1 && !one_thread_sends_);
  mpi::check("MPI_Query_thread", MPI_Query_thread(&granted_));
  mpi::check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &team_));
  map_.rank = mpi::rank_in(team_);
  find_hosts(options.ranks_per_host);
}

void MpiSession::initialize(bool several_threads_send) {
  const Launch launch = launched().value_or(Launch{"no launcher", "", 0, 1});
  if (!launch.family.empty() && launch.family != family) fail_because_foreign(launch, "");
  if (launch.is_srun() && launch.size > 1 && srun_connects_nobody())
    fail_because_foreign(launch, " without a connection to the other ranks");
  poll_without_yielding();
  mpi::check(
      "MPI_Init_thread",
      MPI_Init_thread(nullptr, nullptr, several_threads_send ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &granted_));
  int size = mpi::size_of(MPI_COMM_WORLD);
  if (size != launch.size) {
    mpi::check("MPI_Finalize", MPI_Finalize());
    fail_because_foreign(launch,
                         " with " + std::to_string(launch.size) + " ranks, of which MPI finds " + std::to_string(size));
  }
  initialized_here_ = true;
}

void MpiSession::find_hosts(int ranks_per_host) {
  mpi::check("MPI_Comm_split_type", MPI_Comm_split_type(team_, MPI_COMM_TYPE_SHARED, map_.rank, MPI_INFO_NULL, &host_));
  int rank_in_host = mpi::rank_in(host_);
  if (ranks_per_host > 0) {
    MPI_Comm part = MPI_COMM_NULL;
    mpi::check("MPI_Comm_split", MPI_Comm_split(host_, rank_in_host / ranks_per_host, rank_in_host, &part));
    mpi::check("MPI_Comm_free", MPI_Comm_free(&host_));
    host_ = part;
    rank_in_host %= ranks_per_host;
  }
  mpi::check("MPI_Comm_split", MPI_Comm_split(team_, rank_in_host == 0 ? 0 : MPI_UNDEFINED, map_.rank, &leaders_));
  int host = 0;
  if (leaders_ != MPI_COMM_NULL) {
    host = mpi::rank_in(leaders_);
    mpi::check("MPI_Comm_set_errhandler",
               MPI_Comm_set_errhandler(leaders_, MPI_ERRORS_RETURN));  // so that the others outlive a leader
  }
  mpi::check("MPI_Bcast", MPI_Bcast(&host, 1, MPI_INT, 0, host_));
  int size = mpi::size_of(team_);
  map_.host_of_rank.assign(static_cast<std::size_t>(size), 0);
  map_.host_of_rank = allgather_values(host);

  std::array<char, 256> own_name{};
  host_name().copy(own_name.data(), own_name.size() - 1);
  for (const auto& name : allgather_values(own_name)) map_.host_names.emplace_back(name.data());
}

MpiSession::~MpiSession() {
  if (has_lost_a_rank()) abort(1);
  if (std::uncaught_exceptions() != 0 && !agreed_to_fail())
    return;  // other ranks may never call it; the launcher ends them
  if (leaders_ != MPI_COMM_NULL) mpi::report("MPI_Comm_free", MPI_Comm_free(&leaders_));
  mpi::report("MPI_Comm_free", MPI_Comm_free(&host_));
  mpi::report("MPI_Barrier", MPI_Barrier(team_));
  if (initialized_here_) wait_until_others_left_their_last_call(map_.host_names);
  mpi::report("MPI_Comm_free", MPI_Comm_free(&team_));
  if (initialized_here_) mpi::report("MPI_Finalize", MPI_Finalize());
}

void MpiSession::abort(int exit_code) noexcept {
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

std::string MpiSession::library() const {
  std::string line = library_version();
  line = line.substr(0, line.find_first_of(",\n"));  // Open MPI appends its packager, MPICH its options
  std::ranges::replace(line, '\t', ' ');
  return line;
}

std::string MpiSession::thread_level() const {
  switch (granted_) {
    case MPI_THREAD_MULTIPLE:
      return "MPI_THREAD_MULTIPLE";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    default:
      return "MPI_THREAD_SINGLE";
  }
}

void MpiSession::broadcast_node(std::span<std::byte> bytes) {
  MPI_Request all = MPI_REQUEST_NULL;
  mpi::check("MPI_Ibcast", MPI_Ibcast(bytes.data(), checked_count(bytes.size()), MPI_BYTE, 0, host_, &all));
  wait_for(all);
}

void MpiSession::allgather(std::span<const std::byte> mine, std::span<std::byte> of_all) {
  const int count = checked_count(mine.size());
  MPI_Request all = MPI_REQUEST_NULL;
  mpi::check("MPI_Iallgather",
             MPI_Iallgather(mine.data(), count, MPI_BYTE, of_all.data(), count, MPI_BYTE, team_, &all));
  wait_for(all);
}

std::vector<std::vector<std::byte>> MpiSession::gatherv(std::span<const std::byte> mine) {
  constexpr int tag = 0;
  const std::vector<std::uint64_t> sizes = allgather_values(std::uint64_t{mine.size()});
  if (!is_first()) {
    mpi::check("MPI_Send", MPI_Send(mine.data(), checked_count(mine.size()), MPI_BYTE, 0, tag, team_));
    return {};
  }
  std::vector<std::vector<std::byte>> all(sizes.size());
  all[0].assign(mine.begin(), mine.end());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    all[rank].resize(sizes[rank]);
    mpi::check("MPI_Recv", MPI_Recv(all[rank].data(), checked_count(sizes[rank]), MPI_BYTE, static_cast<int>(rank), tag,
                                    team_, MPI_STATUS_IGNORE));
  }
  return all;
}

void MpiSession::allreduce_or(std::span<std::byte> block) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  barrier();  // all workers have written
  if (leaders_ != MPI_COMM_NULL)
    for (std::size_t begin = 0; begin < block.size(); begin += piece) {
      const int count = static_cast<int>(std::min(piece, block.size() - begin));
      MPI_Request all = MPI_REQUEST_NULL;
      mpi::check("MPI_Iallreduce",
                 MPI_Iallreduce(MPI_IN_PLACE, block.data() + begin, count, MPI_UINT8_T, MPI_BOR, leaders_, &all));
      wait_for(all);
    }
  barrier();
}

void MpiSession::barrier() {
  MPI_Request all = MPI_REQUEST_NULL;
  mpi::check("MPI_Ibarrier", MPI_Ibarrier(team_, &all));
  wait_for(all);
}

RankClock MpiSession::synchronize_clock() {
  const SyncOptions options{.fit_points = 50, .fit_window_ns = 200'000'000};
  const SyncedClock synced = laxity::synchronize_clock(
      team_, [] { return SteadyClock{}.now_ns(); }, steady_clock_identity(), options);
  return {synced.model, std::llrint(std::ceil(synced.width_ns / 2))};
}

std::unique_ptr<StatusExchange> MpiSession::open_exchange() { return std::make_unique<MpiStatusExchange>(leaders_); }

std::unique_ptr<Reports> MpiSession::open_reports() { return std::make_unique<MpiReports>(team_); }

std::unique_ptr<RemoteLinks> MpiSession::open_links(bool relayed) {
  return std::make_unique<MpiLinks>(team_, variant_, relayed ? MpiThreads::one : MpiThreads::all);
}

std::string mpi_of_this_build() { return std::string(family) + ' ' + version; }

std::unique_ptr<Ranks> join_ranks(const RankOptions& options) {
  int is_initialized = 0;
  mpi::check("MPI_Initialized", MPI_Initialized(&is_initialized));
  if (is_initialized == 0 && !launched()) return nullptr;
  return std::make_unique<MpiSession>(options);
}

}  // namespace laxity
