#include "laxity/metrics/counter_table.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "laxity/check.hpp"
#include "laxity/error.hpp"

namespace laxity {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t links_limit = std::size_t{1} << 26;  // 32 GiB of rows

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + cache_line - 1) / cache_line * cache_line; }

// A key in one word, never 0, which marks a free slot: used bit, layer 7, from 16, to 16, channel 24 bits.
std::uint64_t packed(const LinkKey& key) noexcept {
  return std::uint64_t{1} << 63 | std::uint64_t{key.layer} << 56 | std::uint64_t{key.from_worker} << 40 |
         std::uint64_t{key.to_worker} << 24 | std::uint64_t{key.channel};
}

LinkKey unpacked(std::uint64_t word) noexcept {
  const auto field = [word](int shift, int bits) {
    return static_cast<std::uint32_t>(word >> shift & ((std::uint64_t{1} << bits) - 1));
  };
  return {field(56, 7), field(40, 16), field(24, 16), field(0, 24)};
}

// Fibonacci hashing after folding: neighboring keys land far apart.
std::size_t slot_of(std::uint64_t word, std::size_t slots) noexcept {
  const std::uint64_t mixed = (word ^ word >> 29) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::size_t>(mixed >> 20) % slots;
}

}  // namespace

std::string_view name_of(WorkerState state) noexcept {
  switch (state) {
    case WorkerState::waiting:
      return "waiting";
    case WorkerState::running:
      return "running";
    case WorkerState::finished:
      return "finished";
    case WorkerState::failed:
      return "failed";
    case WorkerState::killed:
      return "killed";
    case WorkerState::elsewhere:
      return "elsewhere";
  }
  return "unknown";
}

std::string_view name_of(NeighborKind kind) noexcept {
  switch (kind) {
    case NeighborKind::same_thread:
      return "same_thread";
    case NeighborKind::thread:
      return "thread";
    case NeighborKind::process:
      return "process";
    case NeighborKind::host:
      return "host";
  }
  return "unknown";
}

// Memory: header, worker rows, one key word per slot (0: free), link rows; slot i's row is link row i.
struct alignas(cache_line) CounterTable::Header {
  std::uint32_t workers;
  std::uint64_t max_links;
  std::atomic<std::uint64_t> links;
};

std::size_t CounterTable::bytes_needed(int workers, std::size_t max_links) {
  if (workers < 1 || workers > max_workers)
    throw UsageError("a counter table has 1 to " + std::to_string(max_workers) + " workers, not " +
                     std::to_string(workers));
  if (max_links > links_limit)
    throw UsageError("a counter table has at most " + std::to_string(links_limit) + " links, not " +
                     std::to_string(max_links));
  return sizeof(Header) + static_cast<std::size_t>(workers) * sizeof(WorkerCounters) +
         round_up(max_links * sizeof(std::uint64_t)) + max_links * sizeof(LinkRow);
}

CounterTable CounterTable::create(std::byte* memory, int workers, std::size_t max_links) {
  (void)bytes_needed(workers, max_links);  // checks the limits
  LAXITY_CHECK(reinterpret_cast<std::uintptr_t>(memory) % cache_line == 0);
  new (memory) Header{static_cast<std::uint32_t>(workers), max_links, 0};
  const CounterTable table(memory);
  for (int id = 0; id < workers; ++id) new (&table.worker(id)) WorkerCounters;
  // Keys and link rows stay untouched zeros, which is their initial value: a sparse segment gives them no memory until
  // used.
  return table;
}

bool CounterTable::fits(std::span<const std::byte> memory, std::size_t offset, int workers) noexcept {
  if (offset % cache_line != 0 || offset > memory.size() || memory.size() - offset < sizeof(Header)) return false;
  const auto& header = *reinterpret_cast<const Header*>(memory.data() + offset);
  if (workers < 1 || workers > max_workers || header.workers != static_cast<std::uint32_t>(workers)) return false;
  return header.max_links <= links_limit && bytes_needed(workers, header.max_links) <= memory.size() - offset;
}

CounterTable CounterTable::attach(std::byte* memory) noexcept { return CounterTable(memory); }

CounterTable::Header& CounterTable::header() const noexcept { return *reinterpret_cast<Header*>(memory_); }

int CounterTable::workers() const noexcept { return static_cast<int>(header().workers); }

std::size_t CounterTable::max_links() const noexcept { return header().max_links; }

std::size_t CounterTable::links() const noexcept { return header().links.load(std::memory_order_acquire); }

WorkerCounters& CounterTable::worker(int id) const noexcept {
  LAXITY_DCHECK(id >= 0 && id < workers());
  return reinterpret_cast<WorkerCounters*>(memory_ + sizeof(Header))[id];
}

std::atomic<std::uint64_t>* CounterTable::keys() const noexcept {
  return reinterpret_cast<std::atomic<std::uint64_t>*>(memory_ + sizeof(Header) +
                                                       header().workers * sizeof(WorkerCounters));
}

LinkRow* CounterTable::rows() const noexcept {
  return reinterpret_cast<LinkRow*>(reinterpret_cast<std::byte*>(keys()) +
                                    round_up(header().max_links * sizeof(std::uint64_t)));
}

LinkRow& CounterTable::link(const LinkKey& key, NeighborKind kind, std::uint32_t channels) const {
  const auto team = header().workers;
  if (key.layer >= max_layers || key.from_worker >= team || key.to_worker >= team || key.channel >= max_channels)
    throw UsageError("no such link: layer " + std::to_string(key.layer) + " from worker " +
                     std::to_string(key.from_worker) + " to worker " + std::to_string(key.to_worker) + " channel " +
                     std::to_string(key.channel) + " in a team of " + std::to_string(team));
  const std::uint64_t word = packed(key);
  const std::size_t slots = max_links();
  for (std::size_t probe = 0, slot = slots == 0 ? 0 : slot_of(word, slots); probe < slots; ++probe) {
    std::uint64_t seen = 0;
    const bool claimed = keys()[slot].compare_exchange_strong(seen, word, std::memory_order_relaxed);
    if (claimed || seen == word) {
      LinkRow& row = rows()[slot];
      row.channels.store(channels, std::memory_order_relaxed);
      row.neighbor_kind.store(kind, std::memory_order_relaxed);
      if (claimed) header().links.fetch_add(1, std::memory_order_release);
      return row;
    }
    if (++slot == slots) slot = 0;
  }
  throw Error("the counter table is full at " + std::to_string(slots) +
              " links: raise TeamOptions::max_links, or pack channels together");
}

void CounterTable::for_each_link(const std::function<void(const LinkKey&, LinkRow&)>& visit) const {
  for (std::size_t slot = 0; slot < max_links(); ++slot) {
    const std::uint64_t word = keys()[slot].load(std::memory_order_relaxed);
    if (word != 0) visit(unpacked(word), rows()[slot]);
  }
}

}  // namespace laxity
