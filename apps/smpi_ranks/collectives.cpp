// Calls of a collective under arrival patterns on MPI ranks under SimGrid (SMPI), started by `laxity arrival --simulate
// smpi`.
//
// Source: Salimi Beni, Cosenza and Hunold, III: the clock of a simulation is exact and the same for all, so that a rank
// sleeps until its arrival and no call has to be repeated. Between two calls all ranks meet at a barrier of the
// simulator, which sends no message and takes no simulated time.
// Every call is one of the MPI functions, or one of laxity's own algorithms, with buffers of its own; the first call of
// every algorithm is verified. All ranks are threads of one process, one of which runs at a time, so that they share
// the results.
// Usage: smpi_collectives ARRIVALS.json (arrival_file.hpp).
#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/barrier.h>
#include <simgrid/engine.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/smpi_ranks/arrival_file.hpp"
#include "laxity/collective/benchmark/operation.hpp"
#include "laxity/error.hpp"
#include "laxity/mpi_call.hpp"

// SimGrid exports these functions without a public header.
namespace simgrid::smpi::colls {
void set_allgather(const std::string& name);
void set_allreduce(const std::string& name);
void set_alltoall(const std::string& name);
void set_barrier(const std::string& name);
void set_bcast(const std::string& name);
void set_gather(const std::string& name);
void set_reduce(const std::string& name);
void set_reduce_scatter(const std::string& name);
void set_scatter(const std::string& name);
}  // namespace simgrid::smpi::colls

namespace {

using namespace laxity;
using collective::ArrivalPattern;
using collective::Collective;

// For all calls from now on, on all ranks.
void choose(Collective collective, const std::string& name) {
  namespace colls = simgrid::smpi::colls;
  switch (collective) {
    case Collective::allgather:
      return colls::set_allgather(name);
    case Collective::allreduce:
      return colls::set_allreduce(name);
    case Collective::alltoall:
      return colls::set_alltoall(name);
    case Collective::barrier:
      return colls::set_barrier(name);
    case Collective::bcast:
      return colls::set_bcast(name);
    case Collective::gather:
      return colls::set_gather(name);
    case Collective::reduce:
      return colls::set_reduce(name);
    case Collective::reduce_scatter:
      return colls::set_reduce_scatter(name);
    case Collective::scatter:
      return colls::set_scatter(name);
  }
}

// Shared by all ranks. Each writes its own entries between two barriers; what all read is written by rank 0.
struct World {
  World(ArrivalsFile read, int size)
      : arrivals(std::move(read)),
        ranks(static_cast<std::size_t>(size)),
        barrier(sg_barrier_init(static_cast<unsigned>(size))),
        arrival_s(ranks),
        exit_s(ranks),
        right(ranks) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() { sg_barrier_destroy(barrier); }

  ArrivalsFile arrivals;
  std::size_t ranks;
  sg_bar_t barrier;
  std::vector<double> arrival_s, exit_s;
  std::vector<std::uint8_t> right;  // whether the result of a rank was
  std::vector<collective::DelayedCall> calls;
  collective::BlockResult result;
};

class Rank {
 public:
  Rank(World& world, int rank)
      : world_(world),
        at_(static_cast<std::size_t>(rank)),
        operation_(block().collective, block().bytes, MPI_COMM_WORLD) {
    mpi::check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &own_));  // SMPI keeps one MPI_COMM_WORLD for all ranks
    mpi::check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN));
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  ~Rank() { mpi::report("MPI_Comm_free", MPI_Comm_free(&own_)); }

  void simulate() {
    const ArrivalPattern no_delay = make_pattern(collective::Pattern::no_delay, static_cast<int>(world_.ranks), 0);
    meet();  // the constructor's collective calls have ended everywhere, before an algorithm is chosen
    for (std::size_t algorithm = 0; algorithm < block().algorithms.size(); ++algorithm) verify(algorithm);
    for (std::size_t algorithm = 0; algorithm < block().algorithms.size(); ++algorithm)
      if (is_right(algorithm)) call(algorithm, no_delay);
    if (at_ == 0) world_.calls = delayed_calls();
    meet();
    for (const collective::DelayedCall& each : world_.calls) call(each.algorithm, each.pattern);
  }

 private:
  [[nodiscard]] const collective::ArrivalBlock& block() const noexcept { return world_.arrivals.block; }
  [[nodiscard]] bool is_right(std::size_t algorithm) const {
    return world_.result.verdicts[algorithm] == collective::Verdict::right;
  }
  void meet() const { sg_barrier_wait(world_.barrier); }

  // Everybody leaves the barrier with the same algorithm and at the same time.
  void prepare(std::size_t algorithm) const {
    if (at_ == 0 && !world_.arrivals.simulator_names[algorithm].empty())
      choose(block().collective, world_.arrivals.simulator_names[algorithm]);
    meet();
  }

  void verify(std::size_t algorithm) {
    prepare(algorithm);
    constexpr std::uint32_t round = 1;
    operation_.fill(round);
    const bool succeeded = operation_.run(own_, block().algorithms[algorithm].id).succeeded();
    world_.right[at_] = succeeded && operation_.is_correct(round) ? 1 : 0;
    meet();
    if (at_ == 0)
      world_.result.verdicts.push_back(std::ranges::count(world_.right, 0) == 0 ? collective::Verdict::right
                                                                                : collective::Verdict::wrong);
    meet();
  }

  void call(std::size_t algorithm, const ArrivalPattern& pattern) {
    prepare(algorithm);
    const double delay_s = pattern.delays_s[at_];
    if (delay_s > 0) sg_actor_sleep_until(simgrid_get_clock() + delay_s);
    world_.arrival_s[at_] = simgrid_get_clock();
    const mpi::Result result = operation_.run(own_, block().algorithms[algorithm].id);
    world_.exit_s[at_] = simgrid_get_clock();
    if (!result.succeeded()) throw MpiError(result);
    meet();
    if (at_ == 0) record(algorithm, pattern);
  }

  void record(std::size_t algorithm, const ArrivalPattern& pattern) {
    const double exit_s = std::ranges::max(world_.exit_s);
    const auto [first, last] = std::ranges::minmax_element(world_.arrival_s);
    world_.result.cells.push_back(collective::simulated_cell(
        {.algorithm = algorithm, .pattern = pattern.name, .skew_us = pattern.max_skew_s() * 1e6},
        (exit_s - *last) * 1e6, (exit_s - *first) * 1e6));
  }

  // Of the algorithms that are right, whose cells are those without delay.
  [[nodiscard]] std::vector<collective::DelayedCall> delayed_calls() const {
    std::vector<double> no_delay_s;
    for (const collective::ArrivalCell& cell : world_.result.cells)
      no_delay_s.push_back(cell.repetitions.front().last_delay_us * 1e-6);
    std::vector<collective::DelayedCall> calls =
        collective::delayed_calls(block(), static_cast<int>(world_.ranks), no_delay_s);
    for (collective::DelayedCall& each : calls) each.algorithm = world_.result.cells[each.algorithm].algorithm;
    return calls;
  }

  World& world_;
  std::size_t at_;  // its rank
  collective::Operation operation_;
  MPI_Comm own_ = MPI_COMM_NULL;
};

void run(const char* arrivals) {
  const int rank = mpi::rank_in(MPI_COMM_WORLD), ranks = mpi::size_of(MPI_COMM_WORLD);
  const auto made = rank == 0 ? std::make_unique<World>(read_arrivals(arrivals), ranks) : nullptr;
  auto address = reinterpret_cast<std::uint64_t>(made.get());
  mpi::check("MPI_Bcast", MPI_Bcast(&address, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
  World& world = *reinterpret_cast<World*>(address);
  Rank(world, rank).simulate();
  if (rank == 0) write_block_result(world.arrivals.output, world.result);
  mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD));  // rank 0 destroys the world
}

}  // namespace

int main(int argc, char** argv) {
  try {
    mpi::check("MPI_Init", MPI_Init(&argc, &argv));
    if (argc != 2) throw laxity::Error("usage: smpi_collectives ARRIVALS.json");
    run(argv[1]);
    mpi::check("MPI_Finalize", MPI_Finalize());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "smpi_collectives: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 0;
}
