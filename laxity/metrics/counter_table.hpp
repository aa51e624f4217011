// The counters of a team in one block of memory: a row per worker, a row per link, and the answers to the observer.
//
// The table has offsets and no pointers, so threads and processes may map the memory at different addresses. The end of
// a link that comes first claims the row of the link, and the other end finds it. Rows are claimed during setup only
// and never freed. A claim is one compare-and-swap of a 64-bit key, so a process that is killed leaves no incomplete
// row.
//
// Protocol of an observation, which gives consistent counters without disturbing the worker:
//  1. the observer writes a new request number into the row of the worker;
//  2. at the end of its next update the worker copies all counters that it writes, and the time, into the answers, and
//     publishes the number;
//  3. the observer reads the answers with that number. A worker that does not answer in time is blocked or lost, so its
//     counters do not change and are read as they are.
// Threads: each counter has one writer, named at its declaration, or several in succession where parts of a mesh
// migrate between workers (mesh/migration/part_connector.hpp). The observer writes request. Any thread may read.
// Elsewhere: the worker's side (worker_probe.hpp), the observer (observer.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "laxity/metrics/counters.hpp"
#include "laxity/metrics/observation.hpp"

namespace laxity {

enum class WorkerState : std::uint32_t {
  waiting,
  running,
  finished,
  failed,
  killed,
  elsewhere,  ///< on another host, like its counters
};

[[nodiscard]] std::string_view name_of(WorkerState state) noexcept;

/// Written by the worker, except request (the observer) and state (the launcher when the worker was killed).
struct alignas(64) WorkerCounters {
  Counter updates;                         ///< updates done
  std::atomic<std::uint64_t> request{0};   ///< number of the last observation that was requested
  std::atomic<std::uint64_t> answered{0};  ///< number of the last observation that was answered
  std::atomic<WorkerState> state{WorkerState::waiting};
  std::atomic<std::int32_t> pid{0};        ///< process of the worker
  Counter events_processed;                ///< of an optimistic simulation, at its last GVT round; otherwise 0
  Counter events_committed;                ///< the same
  std::atomic<double> gvt{0};              ///< global virtual time known to this worker
  alignas(64) WorkerObservation answer{};  ///< valid when answered == request
};

/// One direction of traffic between two workers, and the counters of both ends.
struct alignas(64) LinkRow {
  std::atomic<std::uint32_t> channels{0};  ///< channels that share the row
  std::atomic<NeighborKind> neighbor_kind{NeighborKind::same_thread};
  InletCounters inlet;    ///< written by the sending worker
  OutletCounters outlet;  ///< written by the receiving worker
  alignas(64) InletObservation inlet_answer{};
  alignas(64) OutletObservation outlet_answer{};
};

/// A view of a table in memory that it does not own. Copies are views of the same table.
class CounterTable {
 public:
  static constexpr int max_workers = 1 << 16;
  static constexpr int max_layers = 1 << 7;
  static constexpr int max_channels = 1 << 24;  ///< rows between the same two workers in one layer

  /// Size of a table, bytes.
  [[nodiscard]] static std::size_t bytes_needed(int workers, std::size_t max_links);

  /// Makes an empty table in `memory`: zeroed, 64-byte aligned, bytes_needed() long. Before anybody attaches.
  static CounterTable create(std::byte* memory, int workers, std::size_t max_links);
  /// Whether what lies at `offset` of this memory can be a table for that many workers: for readers of memory that they
  /// did not make.
  [[nodiscard]] static bool fits(std::span<const std::byte> memory, std::size_t offset, int workers) noexcept;
  /// The table that create() made in this memory, here or in another process.
  static CounterTable attach(std::byte* memory) noexcept;

  [[nodiscard]] int workers() const noexcept;
  [[nodiscard]] std::size_t max_links() const noexcept;
  /// Links claimed so far. Equal counts mean equal sets, since no link ever goes.
  [[nodiscard]] std::size_t links() const noexcept;

  [[nodiscard]] WorkerCounters& worker(int id) const noexcept;

  /// The row of this link, claimed if neither end has been here. `channels` and `kind` are the same from both ends.
  /// Throws UsageError when the key is out of range, Error when the table is full.
  LinkRow& link(const LinkKey& key, NeighborKind kind, std::uint32_t channels) const;

  /// Visits every link claimed so far, in no particular order.
  void for_each_link(const std::function<void(const LinkKey&, LinkRow&)>& visit) const;

 private:
  struct Header;
  explicit CounterTable(std::byte* memory) noexcept : memory_(memory) {}
  [[nodiscard]] Header& header() const noexcept;
  [[nodiscard]] std::atomic<std::uint64_t>* keys() const noexcept;
  [[nodiscard]] LinkRow* rows() const noexcept;

  std::byte* memory_;
};

}  // namespace laxity
