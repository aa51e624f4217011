// What the algorithms are written with: one rank's operations, in the order in which an MPI library posts them.
//
// A frontier is the set of operations that must have completed before the next ones are posted: what a blocking call or
// a wait for several requests leaves behind.
// Threads: one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/schedule/collective_schedule.hpp"

namespace laxity::schedule::detail {

using Frontier = std::vector<OpId>;

/// Consecutive slots.
struct Slots {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
};

class Builder {
 public:
  Builder(const CollectiveCall& call, std::vector<Contents>* contents)
      : call_(call), schedule_(call.ranks), contents_(contents) {}

  void begin_rank(std::uint32_t rank) {
    rank_ = rank;
    schedule_.begin_rank();
  }
  [[nodiscard]] const CollectiveCall& call() const noexcept { return call_; }
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::uint32_t ranks() const noexcept { return call_.ranks; }
  [[nodiscard]] std::uint32_t root() const noexcept { return call_.root; }
  /// Rank relative to the root, which is 0, and back.
  [[nodiscard]] std::uint32_t virtual_rank() const noexcept { return (rank_ + ranks() - root()) % ranks(); }
  [[nodiscard]] std::uint32_t real_rank(std::uint32_t virtual_rank) const noexcept {
    return (virtual_rank + root()) % ranks();
  }

  /// Bytes of some of `parts` nearly equal parts of the vector; the first ones are a byte larger.
  [[nodiscard]] std::uint64_t bytes_of(const Slots& slots, std::uint32_t parts) const noexcept {
    const auto begin = [&](std::uint64_t part) {
      return part * (call_.bytes / parts) + std::min<std::uint64_t>(part, call_.bytes % parts);
    };
    return begin(slots.first + slots.count) - begin(slots.first);
  }

  OpId send(std::uint32_t to, std::uint64_t bytes, const Slots& slots, const Frontier& after, std::uint32_t tag = 0) {
    note({slots}, false);
    return schedule_.send(to, bytes, after, tag);
  }
  OpId receive(std::uint32_t from, std::uint64_t bytes, const Slots& slots, const Frontier& after,
               bool combined = false, std::uint32_t tag = 0) {
    note({slots}, combined);
    return schedule_.receive(from, bytes, after, tag);
  }
  /// Sends some slots and receives others at the same time; the frontier behind both.
  Frontier exchange(std::uint32_t to, std::uint64_t bytes_out, const std::vector<Slots>& out, std::uint32_t from,
                    std::uint64_t bytes_in, const std::vector<Slots>& in, const Frontier& after,
                    bool combined = false) {
    note(out, false);
    const OpId sent = schedule_.send(to, bytes_out, after);
    note(in, combined);
    return {sent, schedule_.receive(from, bytes_in, after)};
  }

  /// Whether contents are recorded; lists of slots that are expensive to make need not be made otherwise.
  [[nodiscard]] bool records_contents() const noexcept { return contents_ != nullptr; }
  [[nodiscard]] Schedule take() { return std::move(schedule_); }

 private:
  void note(const std::vector<Slots>& ranges, bool combined) {
    if (contents_ == nullptr) return;
    Contents& contents = contents_->emplace_back(Contents{.combined = combined});
    for (const Slots& range : ranges)
      for (std::uint32_t i = 0; i < range.count; ++i) contents.slots.push_back(range.first + i);
  }

  CollectiveCall call_;
  Schedule schedule_;
  std::vector<Contents>* contents_;
  std::uint32_t rank_ = 0;
};

/// One rank's part of an algorithm, after `after`; returns the frontier behind it.
using RankProgram = Frontier (*)(Builder& builder, const Frontier& after);

struct NamedAlgorithm {
  int id;  ///< Open MPI's number, or that of collective::OwnAlgorithm
  std::string_view name;
  RankProgram program;
};

[[nodiscard]] std::vector<NamedAlgorithm> allgather_algorithms();
[[nodiscard]] std::vector<NamedAlgorithm> allreduce_algorithms();
[[nodiscard]] std::vector<NamedAlgorithm> alltoall_algorithms();
[[nodiscard]] std::vector<NamedAlgorithm> barrier_algorithms();
[[nodiscard]] std::vector<NamedAlgorithm> bcast_algorithms();
[[nodiscard]] std::vector<NamedAlgorithm> gather_algorithms();
[[nodiscard]] std::vector<NamedAlgorithm> reduce_algorithms();
[[nodiscard]] std::vector<NamedAlgorithm> reduce_scatter_algorithms();
[[nodiscard]] std::vector<NamedAlgorithm> scatter_algorithms();

}  // namespace laxity::schedule::detail
