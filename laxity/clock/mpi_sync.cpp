#include "laxity/clock/mpi_sync.hpp"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "laxity/clock/mpi_wait.hpp"
#include "laxity/clock/offset_bounds.hpp"
#include "laxity/clock/offset_envelope.hpp"
#include "laxity/error.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity {
namespace {

constexpr int sync_tag = 1;

// What a client requests of its reference.
enum Request : std::int64_t {
  read_clock,  // answer with the global clock
  pause,       // the next request follows after a pause
  end,
};

void sleep_for(std::int64_t time_ns) {
  const timespec pause{.tv_sec = time_ns / 1'000'000'000, .tv_nsec = time_ns % 1'000'000'000};
  nanosleep(&pause, nullptr);  // a plain call of this name, which SMPI replaces
}

// Yielding at once is fast between two processes that share a core, and hardly slower between two that do not.
void wait_for(MPI_Request request, DeadlineWait waiting, bool sleeping) {
  if (waiting == DeadlineWait::spin) {
    mpi::check("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else if (sleeping) {
    wait_sleeping(request);
  } else {
    wait_yielding(request, 0);
  }
}

// The messages between a client and its reference, one word each.
struct Connection {
  MPI_Comm comm;
  int other;
  DeadlineWait waiting;

  [[nodiscard]] std::int64_t receive(bool sleeping = false) const {
    std::int64_t word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check("MPI_Irecv", MPI_Irecv(&word, 1, MPI_INT64_T, other, sync_tag, comm, &request));
    wait_for(request, waiting, sleeping);
    return word;
  }
  void send(std::int64_t word) const { mpi::check("MPI_Send", MPI_Send(&word, 1, MPI_INT64_T, other, sync_tag, comm)); }
};

// A communicator that the destructor frees.
class OwnComm {
 public:
  OwnComm() = default;
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;
  ~OwnComm() {
    if (comm_ != MPI_COMM_NULL) mpi::report("MPI_Comm_free", MPI_Comm_free(&comm_));
  }
  [[nodiscard]] MPI_Comm* created() noexcept { return &comm_; }  // for the call that creates it
  operator MPI_Comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const { return mpi::rank_in(comm_); }
  [[nodiscard]] int size() const { return mpi::size_of(comm_); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Answers the requests of a client. `known` is the model that this process has measured itself.
void serve_as_reference(const Connection& client, const ReadClock& read, ClockIdentity identity,
                        const SyncedClock& known) {
  client.send(static_cast<std::int64_t>(identity));
  client.send(known.hops);
  bool sleeping = true;
  for (;;) {
    const std::int64_t request = client.receive(sleeping);
    if (request == end) return;
    sleeping = request == pause;
    if (request == read_clock) client.send(known.model.to_global(read()));
  }
}

// Measures the clock of a reference.
class Client {
 public:
  Client(const Connection& reference, const ReadClock& read, const SyncOptions& options)
      : reference_(reference), read_(read), options_(options) {}

  SyncedClock synchronize(ClockIdentity identity) {
    const auto of_reference = static_cast<ClockIdentity>(reference_.receive(true));
    const auto hops = static_cast<int>(reference_.receive(true)) + 1;
    const bool shared = identity == of_reference && identity != unshared_clock;
    SyncedClock measured = shared ? without_drift() : with_drift();
    measured.hops = hops;
    if (options_.remeasure_offset && !shared) remeasure(measured.model);
    reference_.send(end);
    return measured;
  }

 private:
  // One burst of exchanges, added to `envelope` and, unless null, to `bounds`. Returns the time of its middle.
  std::int64_t narrow(OffsetEnvelope& envelope, int max_exchanges, int max_fruitless, OffsetBounds* bounds = nullptr) {
    const std::int64_t begin_ns = read_();
    std::int64_t received_ns = begin_ns;
    int fruitless = 0;
    for (int exchange = 0; exchange < max_exchanges && fruitless < max_fruitless; ++exchange) {
      const std::int64_t sent_ns = read_();
      reference_.send(read_clock);
      const std::int64_t answer_ns = reference_.receive();
      received_ns = read_();
      fruitless = envelope.add(sent_ns, answer_ns, received_ns) ? 0 : fruitless + 1;
      if (bounds != nullptr) bounds->add(sent_ns, answer_ns, received_ns);
    }
    return begin_ns + (received_ns - begin_ns) / 2;
  }

  // For two processes that read the same clock: all exchanges narrow one envelope. Bursts with uneven pauses find times
  // in which other pairs on the same cores do not measure.
  SyncedClock without_drift() {
    constexpr int bursts = 20;
    constexpr std::int64_t longest_pause_ns = 2'000'000;
    OffsetEnvelope envelope;
    SyncedClock measured;
    for (int burst = 0; burst < bursts; ++burst) {
      measured.model.origin_ns = narrow(envelope, options_.max_exchanges, options_.fruitless_exchanges);
      reference_.send(pause);
      sleep_for(read_() % longest_pause_ns);
    }
    measured.model.offset_ns = envelope.offset_ns();
    measured.width_ns = envelope.width_ns();
    return measured;
  }

  SyncedClock with_drift() {
    OffsetBounds bounds;
    const std::int64_t begin_ns = read_();
    const std::int64_t share_ns = std::max<std::int64_t>(1, options_.fit_window_ns / options_.fit_points);
    for (int point = 0; point < options_.fit_points; ++point) {
      // At a varying time in its share of the window, so that pairs on the same cores seldom measure at the same time.
      const std::int64_t due_ns = begin_ns + share_ns * point + read_() % share_ns;
      if (const std::int64_t left_ns = due_ns - read_(); left_ns > 0) {
        reference_.send(pause);
        sleep_for(left_ns);
      }
      OffsetEnvelope of_this_burst;  // new in each burst, since the offset has changed since the last one
      narrow(of_this_burst, options_.max_exchanges, options_.fruitless_exchanges, &bounds);
    }
    const BoundedModel middle = bounds.middle();
    SyncedClock measured;
    measured.model = middle.model;
    measured.width_ns = middle.width_ns;
    return measured;
  }

  void remeasure(ClockModel& model) {
    OffsetEnvelope envelope;
    const std::int64_t middle_ns = narrow(envelope, 5 * options_.max_exchanges, 5 * options_.fruitless_exchanges);
    model = {.origin_ns = middle_ns, .offset_ns = envelope.offset_ns(), .drift = model.drift};
  }

  Connection reference_;
  const ReadClock& read_;
  const SyncOptions& options_;
};

// HCA3: of the first 2^k processes, half are clients in the last round, a quarter in the round before it, and so on;
// those beyond 2^k are clients in one more round.
SyncedClock synchronize_hierarchically(const OwnComm& comm, const ReadClock& read, ClockIdentity identity,
                                       const SyncOptions& options) {
  const int rank = comm.rank(), size = comm.size();
  const auto with = [&](int other) { return Connection{comm, other, options.waiting}; };
  int power = 1;
  while (2 * power <= size) power *= 2;
  SyncedClock known;
  if (rank >= power) return Client(with(rank - power), read, options).synchronize(identity);
  for (int distance = power / 2; distance >= 1; distance /= 2) {
    if (rank % (2 * distance) == 0) serve_as_reference(with(rank + distance), read, identity, known);
    if (rank % (2 * distance) == distance) known = Client(with(rank - distance), read, options).synchronize(identity);
  }
  if (rank + power < size) serve_as_reference(with(rank + power), read, identity, known);
  return known;
}

// Makes a communicator of the processes of this host that read the same clock, in the order of their ranks.
void split_by_clock(MPI_Comm comm, ClockIdentity identity, OwnComm& sharers) {
  const int rank = mpi::rank_in(comm);
  OwnComm host;
  mpi::check("MPI_Comm_split_type",
             MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, host.created()));
  std::vector<ClockIdentity> identities(static_cast<std::size_t>(host.size()));
  mpi::check("MPI_Allgather", MPI_Allgather(&identity, 1, MPI_UINT64_T, identities.data(), 1, MPI_UINT64_T, host));
  const auto first = std::find(identities.begin(), identities.end(), identity);
  const int color = identity == unshared_clock ? host.rank() : static_cast<int>(first - identities.begin());
  mpi::check("MPI_Comm_split", MPI_Comm_split(host, color, rank, sharers.created()));
}

void check(const SyncOptions& options) {
  if (options.fit_points >= 1 && options.fit_window_ns >= 0 && options.max_exchanges >= 1 &&
      options.fruitless_exchanges >= 1) {
    return;
  }
  throw UsageError(
      "SyncOptions: fit_points, max_exchanges and fruitless_exchanges must be at least 1, fit_window_ns at least 0");
}

}  // namespace

SyncedClock synchronize_clock(MPI_Comm comm, const ReadClock& read, ClockIdentity identity,
                              const SyncOptions& options) {
  static_assert(std::is_trivially_copyable_v<SyncedClock>);
  check(options);
  OwnComm sharers, representatives;
  if (options.propagate) {
    split_by_clock(comm, identity, sharers);
  } else {
    mpi::check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_SELF, sharers.created()));
  }
  const bool first = sharers.rank() == 0;
  const int rank = mpi::rank_in(comm);
  mpi::check("MPI_Comm_split", MPI_Comm_split(comm, first ? 0 : MPI_UNDEFINED, rank, representatives.created()));
  SyncedClock known;
  if (first) known = synchronize_hierarchically(representatives, read, identity, options);
  // Processes that are done early sleep until the others are done.
  MPI_Request all_done = MPI_REQUEST_NULL;
  mpi::check("MPI_Ibcast", MPI_Ibcast(&known, sizeof known, MPI_BYTE, 0, sharers, &all_done));
  wait_for(all_done, options.waiting, true);
  known.propagated = !first;
  mpi::check("MPI_Ibarrier", MPI_Ibarrier(comm, &all_done));
  wait_for(all_done, options.waiting, true);
  return known;
}

GlobalClock synchronized_steady_clock(MPI_Comm comm, const SyncOptions& options) {
  const SteadyClock steady;
  const SyncedClock synced = synchronize_clock(
      comm, [steady] { return steady.now_ns(); }, steady_clock_identity(), options);
  return GlobalClock(steady, synced.model);
}

}  // namespace laxity
