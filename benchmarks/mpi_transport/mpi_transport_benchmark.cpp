// Links over MPI compared with a plain loop of MPI_Isend, MPI_Irecv and MPI_Testsome of the same depth, pair by pair.
//
// usage: mpi_transport_benchmark [--rounds N] [--smoke]; started alone, it starts itself again on two ranks.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bare_loop.hpp"
#include "benchmarks/ring/measure.hpp"
#include "benchmarks/rounds.hpp"
#include "laxity/mpi_call.hpp"
#include "laxity/transport/mpi.hpp"

namespace laxity::bench {
namespace {

constexpr std::size_t depth = 64;

int rank() { return mpi::rank_in(MPI_COMM_WORLD); }

/// Both directions of the bare loop.
template <class M>
struct Bare {
  BareSender<M, depth> sender{1 - rank()};
  BareReceiver<M, depth> receiver{1 - rank()};

  bool try_send(std::uint32_t value) { return sender.try_send(value); }
  std::size_t receive_each(std::uint32_t& total) { return receiver.template receive<true>(total); }
  std::size_t receive_newest(std::uint32_t& total) { return receiver.template receive<false>(total); }
};

/// Both directions of a pair of links, by the calls that a mesh makes.
template <class M>
class Linked {
 public:
  explicit Linked(MpiVariant variant) : links_(MPI_COMM_WORLD, variant) {
    const RemoteLink link{
        .peer = 1 - rank(), .key = BlockKey("benchmark"), .shape = {depth, sizeof(M)}, .type = {.hash = 1}};
    sender_ = links_.sender(link);
    receiver_ = links_.receiver(link);
    links_.connect();
  }
  bool try_send(std::uint32_t value) {
    std::byte* room = sender_.try_claim();
    if (room == nullptr) return false;
    reinterpret_cast<M*>(room)->fill(value);
    sender_.publish(sizeof(M));
    return true;
  }
  std::size_t receive_each(std::uint32_t& total) {
    const std::size_t moved = receiver_.try_step(1);
    if (moved != 0) read(total);
    return moved;
  }
  std::size_t receive_newest(std::uint32_t& total) {
    const std::size_t moved = receiver_.jump();
    if (moved != 0) read(total);
    return moved;
  }

 private:
  void read(std::uint32_t& total) const { total += reinterpret_cast<const M*>(receiver_.frame().data())->sum(); }

  MpiLinks links_;
  AnySender sender_;
  AnyReceiver receiver_;
};

void keep(std::uint32_t total) {
  volatile std::uint32_t kept = total;
  (void)kept;
}

/// Rank 0 sends, rank 1 reads every message: ns a message.
template <class Pair>
double stream_ns(Pair& pair, std::uint64_t messages) {
  std::uint32_t total = 0;
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  const auto start = std::chrono::steady_clock::now();
  if (rank() == 0) {
    for (std::uint64_t sent = 0; sent < messages;) {
      if (pair.try_send(static_cast<std::uint32_t>(sent))) ++sent;
    }
    int done = 0;
    mpi::check("MPI_Recv", MPI_Recv(&done, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  } else {
    for (std::uint64_t received = 0; received < messages;) received += pair.receive_each(total);
    const int done = 1;
    mpi::check("MPI_Send", MPI_Send(&done, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
  }
  keep(total);
  return elapsed_ns(start) / static_cast<double>(messages);
}

struct Exchange {
  double period_ns;  // of an update
  double delivered;  // messages received per update
};

/// Both ranks put one message and jump to the newest in each update: best effort without computation.
template <class Pair>
Exchange exchange(Pair& pair, std::uint64_t updates) {
  std::uint32_t total = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t update = 0; update < updates; ++update) {
    if (pair.try_send(static_cast<std::uint32_t>(update))) ++sent;
    received += pair.receive_newest(total);
  }
  const double period_ns = elapsed_ns(start) / static_cast<double>(updates);
  const double delivered = static_cast<double>(received) / static_cast<double>(updates);
  MPI_Request sending = MPI_REQUEST_NULL;  // the remaining messages must not reach the next round
  std::uint64_t expected = 0;
  int has_expected = 0;
  MPI_Request receiving = MPI_REQUEST_NULL;
  mpi::check("MPI_Irecv", MPI_Irecv(&expected, 1, MPI_UINT64_T, 1 - rank(), 2, MPI_COMM_WORLD, &receiving));
  mpi::check("MPI_Isend", MPI_Isend(&sent, 1, MPI_UINT64_T, 1 - rank(), 2, MPI_COMM_WORLD, &sending));
  while (has_expected == 0 || received < expected) {
    if (has_expected == 0) mpi::check("MPI_Test", MPI_Test(&receiving, &has_expected, MPI_STATUS_IGNORE));
    received += pair.receive_newest(total);
  }
  mpi::check("MPI_Wait", MPI_Wait(&sending, MPI_STATUS_IGNORE));
  keep(total);
  return {period_ns, delivered};
}

struct Figures {
  std::vector<double> stream_ns, stream_speedup, period_ns, period_speedup, delivered;
};

struct Candidate {
  std::string name;
  std::function<double(std::uint64_t)> stream;
  std::function<Exchange(std::uint64_t)> exchange;
  Figures figures{};
};

template <class Pair>
Candidate candidate(std::string name, Pair& pair) {
  return {std::move(name), [&](std::uint64_t messages) { return stream_ns(pair, messages); },
          [&](std::uint64_t updates) { return bench::exchange(pair, updates); }};
}

/// The bare loop runs before each candidate, so that the two figures of a ratio are measured one after the other.
void measure_round(Candidate& bare, Candidate& other, std::uint64_t messages) {
  const double bare_stream = bare.stream(messages);
  const double other_stream = other.stream(messages);
  const Exchange bare_exchange = bare.exchange(messages);
  const Exchange other_exchange = other.exchange(messages);
  bare.figures.stream_ns.push_back(bare_stream);
  bare.figures.period_ns.push_back(bare_exchange.period_ns);
  bare.figures.delivered.push_back(bare_exchange.delivered);
  other.figures.stream_ns.push_back(other_stream);
  other.figures.stream_speedup.push_back(bare_stream / other_stream);
  other.figures.period_ns.push_back(other_exchange.period_ns);
  other.figures.period_speedup.push_back(bare_exchange.period_ns / other_exchange.period_ns);
  other.figures.delivered.push_back(other_exchange.delivered);
}

void report(const Candidate& each) {
  const Figures& figures = each.figures;
  const auto ratio = [](const std::vector<double>& values) {
    char text[16] = "";
    if (!values.empty()) std::snprintf(text, sizeof text, "%.2f", median(values));
    return std::string(text);
  };
  std::printf("%-12s %10.0f %8s %12.0f %8s %12.2f\n", each.name.c_str(), median(figures.stream_ns),
              ratio(figures.stream_speedup).c_str(), median(figures.period_ns), ratio(figures.period_speedup).c_str(),
              median(figures.delivered));
}

template <std::size_t bytes>
void compare(int rounds, std::uint64_t messages) {
  using M = Message<bytes>;
  Bare<M> bare_loop;
  Linked<M> two_sided(MpiVariant::two_sided);
  Linked<M> ready_send(MpiVariant::ready_send);
  Linked<M> one_sided(MpiVariant::one_sided);
  Candidate bare = candidate("bare loop", bare_loop);
  std::vector<Candidate> candidates;
  candidates.push_back(candidate("two_sided", two_sided));
  candidates.push_back(candidate("ready_send", ready_send));
  candidates.push_back(candidate("one_sided", one_sided));
  for (int round = 0; round < rounds; ++round) {
    for (Candidate& each : candidates) measure_round(bare, each, messages);
  }
  bare_loop.sender.finish();
  if (rank() != 0) return;
  std::printf("\n%zu B, depth %zu\n%-12s %10s %8s %12s %8s %12s\n", bytes, depth, "", "stream ns", "x bare",
              "period ns", "x bare", "delivered");
  report(bare);
  for (const Candidate& each : candidates) report(each);
  std::fflush(stdout);
}

bool is_launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "SLURM_PROCID"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

[[noreturn]] void launch(char** argv) {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) ::setenv(name, "1", 0);
  std::vector<char*> arguments;
  std::string launcher = LAXITY_MPIEXEC;
  std::string option = "-n";
  std::string ranks = "2";
  for (std::string* each : {&launcher, &option, &ranks}) arguments.push_back(each->data());
  for (; *argv != nullptr; ++argv) arguments.push_back(*argv);
  arguments.push_back(nullptr);
  ::execvp(launcher.c_str(), arguments.data());
  std::perror(LAXITY_MPIEXEC);
  std::exit(1);
}

}  // namespace
}  // namespace laxity::bench

int main(int argc, char** argv) {
  using namespace laxity::bench;
  if (!is_launched()) launch(argv);
  const CommandLine line = read_command_line(argc, argv, 101);
  const std::uint64_t messages = line.smoke ? 1000 : 4'000;  // short, so that other load disturbs few rounds
  laxity::mpi::check("MPI_Init", MPI_Init(&argc, &argv));
  if (laxity::mpi::size_of(MPI_COMM_WORLD) != 2) {
    std::fprintf(stderr, "usage: mpirun -n 2 --bind-to core %s [--rounds N] [--smoke]\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  compare<64>(line.rounds, messages);
  compare<216>(line.rounds, messages);
  compare<512>(line.rounds, messages);
  laxity::mpi::check("MPI_Finalize", MPI_Finalize());
}
