// Every collective algorithm, for many numbers of ranks and roots, executed on sets of contributions: the right data
// reaches the right place, each contribution is combined exactly once, no message is left over, nothing deadlocks, and every
// send waits for what it forwards.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>
#include <string>

#include "laxity/schedule/collective_schedule.hpp"
#include "laxity/schedule/machine_file.hpp"
#include "laxity/schedule/simulation.hpp"

namespace laxity::schedule {
namespace {

using collective::Collective;

/// Contributions to one slot, a bit for each rank that the data comes from.
using Ranks = std::uint64_t;

Ranks only(std::uint32_t rank) { return Ranks{1} << rank; }
Ranks everybody(std::uint32_t ranks) { return ranks == 64 ? ~Ranks{0} : only(ranks) - 1; }

struct Data {
  CollectiveCall call;

  [[nodiscard]] std::uint32_t real(std::uint32_t virtual_rank) const { return (virtual_rank + call.root) % call.ranks; }

  [[nodiscard]] Ranks initial(std::uint32_t rank, std::uint32_t slot) const {
    switch (call.collective) {
      case Collective::bcast:
        return rank == call.root ? only(rank) : 0;
      case Collective::allgather:
        return slot == rank ? only(rank) : 0;
      case Collective::gather:
        return real(slot) == rank ? only(rank) : 0;
      case Collective::scatter:
        return rank == call.root ? only(real(slot)) : 0;
      case Collective::alltoall:
        return slot / call.ranks == rank ? only(rank) : 0;
      case Collective::allreduce:
      case Collective::barrier:
      case Collective::reduce:
      case Collective::reduce_scatter:
        break;
    }
    return only(rank);
  }

  /// What a rank must have in the end; 0: anything.
  [[nodiscard]] Ranks final(std::uint32_t rank, std::uint32_t slot) const {
    const Ranks all = everybody(call.ranks);
    switch (call.collective) {
      case Collective::bcast:
        return only(call.root);
      case Collective::allgather:
        return only(slot);
      case Collective::gather:
        return rank == call.root ? only(real(slot)) : 0;
      case Collective::scatter:
        return real(slot) == rank ? only(rank) : 0;
      case Collective::alltoall:
        return slot % call.ranks == rank ? only(slot / call.ranks) : 0;
      case Collective::reduce:
        return rank == call.root ? all : 0;
      case Collective::reduce_scatter:
        return slot == rank ? all : 0;
      case Collective::allreduce:
      case Collective::barrier:
        break;
    }
    return all;
  }
};

/// The operations that each operation of a rank waits for, directly or not.
std::vector<std::set<OpId>> ancestors(const Schedule& schedule, std::uint32_t rank) {
  std::vector<std::set<OpId>> all(schedule.ops(rank).size());
  for (const Edge& edge : schedule.edges(rank)) {
    EXPECT_LT(edge.before, edge.after);
    all[edge.after].insert(edge.before);
    all[edge.after].insert(all[edge.before].begin(), all[edge.before].end());
  }
  return all;
}

class Execution {
 public:
  Execution(const CollectiveCall& call, std::string_view algorithm)
      : data_{call},
        combines_in_any_order_(algorithm.starts_with("laxity_") && algorithm != "laxity_rank_order"),
        schedule_(make_schedule(call, algorithm, &contents_)),
        next_(call.ranks),
        state_(call.ranks),
        written_(call.ranks) {
    for (const Contents& contents : contents_) slots_.insert(contents.slots.begin(), contents.slots.end());
    std::size_t first = 0;
    for (std::uint32_t rank = 0; rank < call.ranks; ++rank) {
      first_.push_back(first);
      first += schedule_.ops(rank).size();
      ancestors_.push_back(ancestors(schedule_, rank));
      for (const std::uint32_t slot : slots_) state_[rank][slot] = data_.initial(rank, slot);
    }
  }

  void run() {
    ASSERT_EQ(contents_.size(), schedule_.total_ops());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank)
        while (next_[rank] < schedule_.ops(rank).size() && step(rank)) moved = true;
    }
    for (std::uint32_t rank = 0; rank < schedule_.ranks(); ++rank) {
      EXPECT_EQ(next_[rank], schedule_.ops(rank).size()) << "rank " << rank << " is stuck";
      for (const std::uint32_t slot : slots_) {
        const Ranks wanted = data_.final(rank, slot);
        EXPECT_TRUE(wanted == 0 || state_[rank][slot] == wanted) << "rank " << rank << ", slot " << slot;
      }
    }
    for (const auto& [pair, queue] : in_flight_) EXPECT_TRUE(queue.empty()) << pair.first << " to " << pair.second;
  }

 private:
  struct Message {
    std::uint64_t bytes;
    std::map<std::uint32_t, Ranks> slots;
  };

  bool step(std::uint32_t rank) {
    const OpId id = next_[rank];
    const Op& op = schedule_.ops(rank)[id];
    const Contents& contents = contents_[first_[rank] + id];
    if (op.action == Action::send) {
      Message message{op.size, {}};
      for (const std::uint32_t slot : contents.slots) {
        EXPECT_NE(state_[rank][slot], 0U) << "rank " << rank << " sends what it does not have, slot " << slot;
        expect_after_write(rank, id, slot);
        message.slots[slot] = state_[rank][slot];
      }
      in_flight_[{rank, op.peer}].push_back(std::move(message));
    } else {
      auto& queue = in_flight_[{op.peer, rank}];
      if (queue.empty()) return false;
      receive(rank, id, contents, queue.front());
      EXPECT_EQ(op.size, queue.front().bytes) << "from " << op.peer << " to " << rank;
      queue.pop_front();
    }
    ++next_[rank];
    return true;
  }

  void receive(std::uint32_t rank, OpId id, const Contents& contents, const Message& message) {
    EXPECT_EQ(contents.slots.size(), message.slots.size());
    for (const std::uint32_t slot : contents.slots) {
      ASSERT_TRUE(message.slots.contains(slot)) << "rank " << rank << " expects slot " << slot;
      const Ranks incoming = message.slots.at(slot);
      Ranks& here = state_[rank][slot];
      if (contents.combined) {
        EXPECT_TRUE(data_.call.collective == Collective::barrier || (here & incoming) == 0)
            << "rank " << rank << " combines a contribution twice, slot " << slot;
        if (!combines_in_any_order_) expect_after_write(rank, id, slot);
        here |= incoming;
      } else {
        here = incoming;
        written_[rank][slot].clear();
      }
      written_[rank][slot].insert(id);
    }
  }

  void expect_after_write(std::uint32_t rank, OpId id, std::uint32_t slot) {
    for (const OpId writer : written_[rank][slot])
      EXPECT_TRUE(ancestors_[rank][id].contains(writer))
          << "rank " << rank << ", operation " << id << " does not wait for what it uses, slot " << slot;
  }

  Data data_;
  bool combines_in_any_order_;  // what a rank combines at the same place need not be ordered
  std::vector<Contents> contents_;
  Schedule schedule_;
  std::set<std::uint32_t> slots_;
  std::vector<std::size_t> first_;
  std::vector<OpId> next_;
  std::vector<std::vector<std::set<OpId>>> ancestors_;
  std::vector<std::map<std::uint32_t, Ranks>> state_;
  std::vector<std::map<std::uint32_t, std::set<OpId>>> written_;  // the last write and what was combined with it
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Message>> in_flight_;
};

template <class Check>
void for_each_call(Check&& check) {
  for (const Collective collective : collective::all_collectives) {
    for (const auto& [id, algorithm] : algorithms(collective)) {
      for (const std::uint32_t ranks : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 11U, 12U, 13U, 16U, 17U, 24U, 31U, 32U}) {
        for (const std::uint32_t root : std::set<std::uint32_t>{0, 1 % ranks, ranks / 2, ranks - 1}) {
          for (const std::uint64_t segment : {0U, 40U}) {
            const CollectiveCall call{collective, ranks, 101, root, segment};
            SCOPED_TRACE(std::string(name_of(collective)) + " " + std::string(algorithm) + ", " +
                         std::to_string(ranks) + " ranks, root " + std::to_string(root) + ", segments of " +
                         std::to_string(segment));
            check(call, algorithm);
            if (testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

TEST(EveryAlgorithm, DeliversEveryContributionOnceToTheRightPlace) {
  for_each_call([](const CollectiveCall& call, std::string_view algorithm) { Execution(call, algorithm).run(); });
}

// The simulation matches messages itself and has its own idea of dependencies: it must come to the end, too.
TEST(EveryAlgorithm, IsSimulatedToItsEndWithEagerAndSynchronousMessages) {
  Machine machine = machine_named("paper");
  for (const std::uint64_t limit : {0U, 1U}) {
    machine.eager_limit_bytes = limit;
    for_each_call([&](const CollectiveCall& call, std::string_view algorithm) {
      const Schedule schedule = make_schedule(call, algorithm);
      const SimulationResult result = simulate(schedule, machine, {.op_times = true});
      for (const OpTimes& times : result.op_times) EXPECT_GE(times.start, 0);
    });
  }
}

// Without overhead, gap and bandwidth an operation starts when the last one that it waits for is done, a message's receive
// one latency after its send: the longest path, which is computed here from the definition.
TEST(EveryAlgorithm, TakesItsLongestPathWhereOnlyLatencyCosts) {
  const Machine machine{.name = "latency", .levels = {{.name = "all", .latency_us = 3}}};
  for_each_call([&](const CollectiveCall& call, std::string_view algorithm) {
    const Schedule schedule = make_schedule(call, algorithm);
    std::vector<double> arrival_s(call.ranks);
    for (std::uint32_t rank = 0; rank < call.ranks; ++rank) arrival_s[rank] = (rank * 7 % 5) * 1e-6;
    std::vector<std::vector<Picoseconds>> end(call.ranks);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Picoseconds>> sent;
    std::vector<OpId> next(call.ranks);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t rank = 0; rank < call.ranks; ++rank) {
        for (; next[rank] < schedule.ops(rank).size(); ++next[rank], moved = true) {
          const Op& op = schedule.ops(rank)[next[rank]];
          Picoseconds time = static_cast<Picoseconds>(arrival_s[rank] * 1e12 + 0.5);
          for (const Edge& edge : schedule.edges(rank))
            if (edge.after == next[rank]) time = std::max(time, end[rank][edge.before]);
          auto& queue = op.action == Action::send ? sent[{rank, op.peer}] : sent[{op.peer, rank}];
          if (op.action == Action::send) {
            queue.push_back(time);
          } else {
            if (queue.empty()) break;
            time = std::max(time, queue.front() + 3'000'000);
            queue.pop_front();
          }
          end[rank].push_back(time);
        }
      }
    }
    const SimulationResult result = simulate(schedule, machine, {.arrival_s = arrival_s});
    for (std::uint32_t rank = 0; rank < call.ranks; ++rank) {
      Picoseconds exit = static_cast<Picoseconds>(arrival_s[rank] * 1e12 + 0.5);
      for (const Picoseconds time : end[rank]) exit = std::max(exit, time);
      EXPECT_EQ(result.exit[rank], exit) << "rank " << rank;
    }
  });
}

}  // namespace
}  // namespace laxity::schedule
