// Message schedules: what every rank of a parallel operation sends, receives and computes, and what must have completed
// before.
//
// The model is that of GOAL (Hoefler, Siebert, Lumsdaine: Group operation assembly language, ICPP 2009): each rank has
// a directed acyclic graph of operations. `requires` holds an operation back until another one has completed,
// `irequires` until another one has started.
//
// Invariants: operations of a rank are numbered from 0 in the order in which they were added. Cycles among dependencies
// are not looked for here; the simulation reports operations that can never start.
// Threads: a schedule is built by one thread and then read by any number.
// Elsewhere: schedules of collective operations (collective_schedule.hpp), files (goal_file.hpp), the simulation of a
// schedule on a machine (simulation.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

namespace laxity::schedule {

enum class Action : std::uint8_t { compute, send, receive };

/// Number of an operation within its rank.
using OpId = std::uint32_t;

/// As the peer or the tag of a receive operation: matches any.
inline constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();

struct Op {
  std::uint64_t size = 0;  ///< bytes of a message; nanoseconds of a computation
  std::uint32_t peer = 0;  ///< rank at the other end; 0 for a computation
  std::uint32_t tag = 0;
  Action action = Action::compute;
  std::uint8_t cpu = 0;  ///< which processor of the rank executes it
  std::uint8_t nic = 0;  ///< which network interface of the rank carries it

  friend bool operator==(const Op&, const Op&) = default;
};

/// An operation that waits, and whether for the start or for the completion of another one of its rank.
struct Edge {
  OpId before = 0;
  OpId after = 0;
  bool start = false;  ///< `after` waits for the start of `before` only

  friend bool operator==(const Edge&, const Edge&) = default;
};

class Schedule {
 public:
  /// Ranks are added in order with begin_rank(). Throws UsageError if there are none or more than 2^31.
  explicit Schedule(std::uint32_t ranks);

  /// What follows belongs to the next rank, beginning with rank 0. Ranks that are never begun have no operations.
  void begin_rank();

  /// Each adds an operation to the current rank that starts once all operations of `after` have completed.
  /// Throws UsageError if an operation would wait for itself.
  OpId send(std::uint32_t to, std::uint64_t bytes, std::span<const OpId> after, std::uint32_t tag = 0);
  OpId receive(std::uint32_t from, std::uint64_t bytes, std::span<const OpId> after, std::uint32_t tag = 0);
  OpId compute(std::uint64_t time_ns, std::span<const OpId> after);
  OpId add(const Op& op, std::span<const OpId> after);
  /// Adds a dependency between two operations of the current rank, which may be added later. Throws UsageError if they
  /// are the same.
  void require(const Edge& edge);

  [[nodiscard]] std::uint32_t ranks() const noexcept { return ranks_; }
  [[nodiscard]] std::span<const Op> ops(std::uint32_t rank) const noexcept;
  [[nodiscard]] std::span<const Edge> edges(std::uint32_t rank) const noexcept;
  [[nodiscard]] std::size_t total_ops() const noexcept { return ops_.size(); }
  [[nodiscard]] std::size_t messages() const noexcept;

 private:
  [[nodiscard]] OpId next_id() const noexcept { return static_cast<OpId>(ops_.size() - first_op_.back()); }

  std::uint32_t ranks_;
  std::vector<Op> ops_;
  std::vector<Edge> edges_;
  std::vector<std::size_t> first_op_;    // of each rank that was begun
  std::vector<std::size_t> first_edge_;  // likewise
};

}  // namespace laxity::schedule
