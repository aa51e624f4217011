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

constexpr int lesson_tag = 1;

// What a learner asks of its teacher.
enum Question : std::int64_t {
  what_time,  // answer with the global clock
  pause,      // the next question comes after a while
  enough,
};

void sleep_for(std::int64_t time_ns) {
  const timespec pause{.tv_sec = time_ns / 1'000'000'000, .tv_nsec = time_ns % 1'000'000'000};
  nanosleep(&pause, nullptr);  // by this name: a simulator of MPI replaces it
}

// Giving way at once is quick between two processes that share a core, and hardly slower between two that do not.
void wait_for(MPI_Request request, Waiting waiting, bool asleep) {
  if (waiting == Waiting::spin) {
    mpi::check("MPI_Wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
  } else if (asleep) {
    wait_asleep(request);
  } else {
    wait_yielding(request, 0);
  }
}

// The words between a learner and its teacher.
struct Dialogue {
  MPI_Comm comm;
  int other;
  Waiting waiting;

  [[nodiscard]] std::int64_t receive(bool asleep = false) const {
    std::int64_t word = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check("MPI_Irecv", MPI_Irecv(&word, 1, MPI_INT64_T, other, lesson_tag, comm, &request));
    wait_for(request, waiting, asleep);
    return word;
  }
  void send(std::int64_t word) const {
    mpi::check("MPI_Send", MPI_Send(&word, 1, MPI_INT64_T, other, lesson_tag, comm));
  }
};

// A communicator that lasts as long as this object.
class OwnComm {
 public:
  OwnComm() = default;
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;
  ~OwnComm() {
    if (comm_ != MPI_COMM_NULL) mpi::report("MPI_Comm_free", MPI_Comm_free(&comm_));
  }
  [[nodiscard]] MPI_Comm* created() noexcept { return &comm_; }  // for the call that makes it
  operator MPI_Comm() const noexcept { return comm_; }
  [[nodiscard]] int rank() const { return mpi::rank_in(comm_); }
  [[nodiscard]] int size() const { return mpi::size_of(comm_); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Answers a learner until it knows enough. `known` is what this process has learned itself.
void teach(const Dialogue& learner, const ReadClock& read, ClockIdentity identity, const SyncedClock& known) {
  learner.send(static_cast<std::int64_t>(identity));
  learner.send(known.hops);
  bool asleep = true;
  for (;;) {
    const std::int64_t question = learner.receive(asleep);
    if (question == enough) return;
    asleep = question == pause;
    if (question == what_time) learner.send(known.model.to_global(read()));
  }
}

class Learner {
 public:
  Learner(const Dialogue& teacher, const ReadClock& read, const SyncOptions& options)
      : teacher_(teacher), read_(read), options_(options) {}

  SyncedClock learn(ClockIdentity identity) {
    const auto of_teacher = static_cast<ClockIdentity>(teacher_.receive(true));
    const auto hops = static_cast<int>(teacher_.receive(true)) + 1;
    const bool shared = identity == of_teacher && identity != unshared_clock;
    SyncedClock learned = shared ? without_drift() : with_drift();
    learned.hops = hops;
    if (options_.remeasure_offset && !shared) remeasure(learned.model);
    teacher_.send(enough);
    return learned;
  }

 private:
  // One burst of exchanges, taken into `envelope`, and into `bounds` if there are any; the moment in its middle.
  std::int64_t narrow(OffsetEnvelope& envelope, int exchanges_at_most, int fruitless_at_most,
                      OffsetBounds* bounds = nullptr) {
    const std::int64_t begin_ns = read_();
    std::int64_t received_ns = begin_ns;
    int fruitless = 0;
    for (int exchange = 0; exchange < exchanges_at_most && fruitless < fruitless_at_most; ++exchange) {
      const std::int64_t sent_ns = read_();
      teacher_.send(what_time);
      const std::int64_t answer_ns = teacher_.receive();
      received_ns = read_();
      fruitless = envelope.add(sent_ns, answer_ns, received_ns) ? 0 : fruitless + 1;
      if (bounds != nullptr) bounds->add(sent_ns, answer_ns, received_ns);
    }
    return begin_ns + (received_ns - begin_ns) / 2;
  }

  // Two clocks that are one: all exchanges narrow one envelope. Bursts with uneven pauses find moments in which other
  // pairs on the same cores are not measuring.
  SyncedClock without_drift() {
    constexpr int bursts = 20;
    constexpr std::int64_t longest_pause_ns = 2'000'000;
    OffsetEnvelope envelope;
    SyncedClock learned;
    for (int burst = 0; burst < bursts; ++burst) {
      learned.model.origin_ns = narrow(envelope, options_.exchanges_at_most, options_.fruitless_exchanges);
      teacher_.send(pause);
      sleep_for(read_() % longest_pause_ns);
    }
    learned.model.offset_ns = envelope.offset_ns();
    learned.width_ns = envelope.width_ns();
    return learned;
  }

  SyncedClock with_drift() {
    OffsetBounds bounds;
    const std::int64_t begin_ns = read_();
    const std::int64_t share_ns = std::max<std::int64_t>(1, options_.fit_window_ns / options_.fit_points);
    for (int point = 0; point < options_.fit_points; ++point) {
      // Somewhere in its share of the window, so that pairs on the same cores do not always measure at the same time.
      const std::int64_t due_ns = begin_ns + share_ns * point + read_() % share_ns;
      if (const std::int64_t left_ns = due_ns - read_(); left_ns > 0) {
        teacher_.send(pause);
        sleep_for(left_ns);
      }
      OffsetEnvelope of_this_burst;  // says when it is done: the offset has moved since the last one
      narrow(of_this_burst, options_.exchanges_at_most, options_.fruitless_exchanges, &bounds);
    }
    const BoundedModel middle = bounds.middle();
    SyncedClock learned;
    learned.model = middle.model;
    learned.width_ns = middle.width_ns;
    return learned;
  }

  void remeasure(ClockModel& model) {
    OffsetEnvelope envelope;
    const std::int64_t middle_ns = narrow(envelope, 5 * options_.exchanges_at_most, 5 * options_.fruitless_exchanges);
    model = {.origin_ns = middle_ns, .offset_ns = envelope.offset_ns(), .drift = model.drift};
  }

  Dialogue teacher_;
  const ReadClock& read_;
  const SyncOptions& options_;
};

// HCA3: of the 2^k first processes, half of whom are taught in the last round, a quarter in the round before; those
// beyond 2^k learn in one round more.
SyncedClock learn_hierarchically(const OwnComm& comm, const ReadClock& read, ClockIdentity identity,
                                 const SyncOptions& options) {
  const int rank = comm.rank(), size = comm.size();
  const auto with = [&](int other) { return Dialogue{comm, other, options.waiting}; };
  int power = 1;
  while (2 * power <= size) power *= 2;
  SyncedClock known;
  if (rank >= power) return Learner(with(rank - power), read, options).learn(identity);
  for (int distance = power / 2; distance >= 1; distance /= 2) {
    if (rank % (2 * distance) == 0) teach(with(rank + distance), read, identity, known);
    if (rank % (2 * distance) == distance) known = Learner(with(rank - distance), read, options).learn(identity);
  }
  if (rank + power < size) teach(with(rank + power), read, identity, known);
  return known;
}

// The processes of this host that read the same clock, in the order of their ranks.
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
  if (options.fit_points >= 1 && options.fit_window_ns >= 0 && options.exchanges_at_most >= 1 &&
      options.fruitless_exchanges >= 1) {
    return;
  }
  throw UsageError("synchronize_clock: fit points, exchanges and fruitless exchanges must be at least 1");
}

}  // namespace

SyncedClock synchronize_clock(MPI_Comm comm, const ReadClock& read, ClockIdentity identity,
                              const SyncOptions& options) {
  static_assert(std::is_trivially_copyable_v<SyncedClock>);
  check(options);
  OwnComm sharers, teachers;
  if (options.propagate) {
    split_by_clock(comm, identity, sharers);
  } else {
    mpi::check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_SELF, sharers.created()));
  }
  const bool first = sharers.rank() == 0;
  const int rank = mpi::rank_in(comm);
  mpi::check("MPI_Comm_split", MPI_Comm_split(comm, first ? 0 : MPI_UNDEFINED, rank, teachers.created()));
  SyncedClock known;
  if (first) known = learn_hierarchically(teachers, read, identity, options);
  // Those who have learned early wait for the others without disturbing them.
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
