// SpscRing between two processes and MPI's point-to-point calls, in one run: mpirun -n 2 --bind-to core
// ring_mpi_benchmark
//
// MPI in one direction: non-blocking sends and receives, 64 in flight, completed by MPI_Testsome. Round trips: MPI_Send,
// MPI_Recv. The ring is in a shared window of the same two ranks.
#include <mpi.h>

#include <array>
#include <cstdio>

#include "benchmarks/rounds.hpp"
#include "laxity/mpi_call.hpp"
#include "laxity/transport/spsc_ring.hpp"
#include "measure.hpp"

namespace laxity::bench {
namespace {

constexpr int in_flight = 64;
constexpr std::uint64_t block = 100;

int rank() { return mpi::rank_in(MPI_COMM_WORLD); }

/// Two rings, one in each direction, in memory that both ranks map.
class SharedRings {
 public:
  explicit SharedRings(RingShape shape) {
    const std::size_t bytes = detail::round_up(SpscRing::bytes_needed(shape), 4096);
    std::byte* memory = nullptr;
    mpi::check("MPI_Win_allocate_shared",
               MPI_Win_allocate_shared(rank() == 0 ? static_cast<MPI_Aint>(2 * bytes + 4096) : 0, 1, MPI_INFO_NULL,
                                       MPI_COMM_WORLD, &memory, &window_));
    MPI_Aint size = 0;
    int unit = 0;
    mpi::check("MPI_Win_shared_query", MPI_Win_shared_query(window_, 0, &size, &unit, &memory));
    memory += 64 - reinterpret_cast<std::uintptr_t>(memory) % 64;
    for (int way = 0; way < 2; ++way) {
      memory_[way] = memory + static_cast<std::size_t>(way) * bytes;
      if (rank() == 0) SpscRing::initialize(memory_[way], shape);
    }
    mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  }
  SharedRings(const SharedRings&) = delete;
  SharedRings& operator=(const SharedRings&) = delete;
  ~SharedRings() { mpi::report("MPI_Win_free", MPI_Win_free(&window_)); }
  [[nodiscard]] std::byte* from(int sender) const { return memory_[sender]; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::byte* memory_[2] = {};
};

template <class M>
double ring_throughput(std::uint64_t messages, std::size_t batch) {
  SharedRings rings({1024, sizeof(M)});
  const auto start = std::chrono::steady_clock::now();
  if (rank() == 0) {
    SpscRing::Sender sender(rings.from(0));
    for (std::uint64_t sent = 0; sent < messages;) {
      if (std::byte* room = sender.try_claim()) {
        reinterpret_cast<M*>(room)->fill(static_cast<std::uint32_t>(sent));
        sender.stage(sizeof(M));
        if (++sent % batch == 0) sender.flush();
      } else {
        relax();
      }
    }
    sender.flush();
  } else {
    SpscRing::Receiver receiver(rings.from(0));
    std::uint32_t total = 0;
    for (std::uint64_t received = 0; received < messages;) {
      if (receiver.try_step(1) == 0) {
        relax();
      } else {
        total += reinterpret_cast<const M*>(receiver.frame().data())->sum();
        ++received;
      }
    }
    volatile std::uint32_t keep = total;
    (void)keep;
  }
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  return static_cast<double>(messages) * 1e3 / elapsed_ns(start);
}

template <class M>
double mpi_throughput(std::uint64_t messages) {
  std::array<M, in_flight> buffers;
  std::array<MPI_Request, in_flight> requests;
  std::array<int, in_flight> done;
  std::uint32_t total = 0;
  std::uint64_t started = 0;
  std::uint64_t finished = 0;
  const bool sends = rank() == 0;
  const auto post = [&](std::size_t slot) {
    requests[slot] = MPI_REQUEST_NULL;
    if (started == messages) return;
    if (sends) {
      buffers[slot].fill(static_cast<std::uint32_t>(started));
      mpi::check("MPI_Isend", MPI_Isend(&buffers[slot], sizeof(M), MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[slot]));
    } else {
      mpi::check("MPI_Irecv", MPI_Irecv(&buffers[slot], sizeof(M), MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[slot]));
    }
    ++started;
  };
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t slot = 0; slot < in_flight; ++slot) post(slot);
  while (finished < messages) {
    int count = 0;
    mpi::check("MPI_Testsome", MPI_Testsome(in_flight, requests.data(), &count, done.data(), MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; ++i) {
      const auto slot = static_cast<std::size_t>(done[static_cast<std::size_t>(i)]);
      if (!sends) total += buffers[slot].sum();
      ++finished;
      post(slot);
    }
  }
  volatile std::uint32_t keep = total;
  (void)keep;
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  return static_cast<double>(messages) * 1e3 / elapsed_ns(start);
}

/// Median over blocks of the round trip; `swap(first)` sends and receives one message, `first` sends first.
template <class Swap>
double trip_ns(std::uint64_t trips, Swap swap) {
  std::vector<double> ns;
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  for (std::uint64_t i = 0; i < trips / block; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t j = 0; j < block; ++j) swap(rank() == 0);
    ns.push_back(elapsed_ns(start) / block);
  }
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  return median(ns);
}

template <class M>
double ring_trip(std::uint64_t trips) {
  SharedRings rings({1024, sizeof(M)});
  SpscRing::Sender sender(rings.from(rank()));
  SpscRing::Receiver receiver(rings.from(1 - rank()));
  const auto send = [&] {
    std::byte* room = sender.try_claim();
    while (room == nullptr) room = sender.try_claim();
    reinterpret_cast<M*>(room)->fill(1);
    sender.publish(sizeof(M));
  };
  return trip_ns(trips, [&](bool first) {
    if (first) send();
    while (receiver.try_step(1) == 0) relax();
    if (!first) send();
  });
}

template <class M>
double mpi_trip(std::uint64_t trips) {
  M message{};
  const int other = 1 - rank();
  return trip_ns(trips, [&](bool first) {
    if (first) mpi::check("MPI_Send", MPI_Send(&message, sizeof message, MPI_BYTE, other, 0, MPI_COMM_WORLD));
    mpi::check("MPI_Recv", MPI_Recv(&message, sizeof message, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (!first) mpi::check("MPI_Send", MPI_Send(&message, sizeof message, MPI_BYTE, other, 0, MPI_COMM_WORLD));
  });
}

template <std::size_t bytes>
void compare(int rounds) {
  using M = Message<bytes>;
  std::vector<double> one, batched, mpi, one_ratio, batched_ratio, trip, mpi_trips, trip_ratio;
  for (int round = 0; round < rounds; ++round) {
    one.push_back(ring_throughput<M>(400'000, 1));
    batched.push_back(ring_throughput<M>(400'000, 64));
    mpi.push_back(mpi_throughput<M>(100'000));
    one_ratio.push_back(one.back() / mpi.back());
    batched_ratio.push_back(batched.back() / mpi.back());
    trip.push_back(ring_trip<M>(2000));
    mpi_trips.push_back(mpi_trip<M>(2000));
    trip_ratio.push_back(trip.back() / mpi_trips.back());
  }
  if (rank() != 0) return;
  std::printf("%6zu B  ring %.1f M/s (x%.1f), batches of 64 %.1f M/s (x%.1f), MPI %.1f M/s;  ", bytes, median(one),
              median(one_ratio), median(batched), median(batched_ratio), median(mpi));
  std::printf("trip ring %.0f ns (x%.2f), MPI %.0f ns\n", median(trip), median(trip_ratio), median(mpi_trips));
}

}  // namespace
}  // namespace laxity::bench

int main(int argc, char** argv) {
  using namespace laxity::bench;
  laxity::mpi::check("MPI_Init", MPI_Init(&argc, &argv));
  if (laxity::mpi::size_of(MPI_COMM_WORLD) != 2) {
    std::fprintf(stderr, "usage: mpirun -n 2 --bind-to core %s\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int rounds = read_command_line(argc, argv, 9).rounds;
  compare<4>(rounds);
  compare<64>(rounds);
  compare<216>(rounds);
  laxity::mpi::check("MPI_Finalize", MPI_Finalize());
}
