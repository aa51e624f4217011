#include "laxity/launch/detail/team_over_ranks.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity::detail {
namespace {

// One segment for all ranks of a host. Its leader makes the offer, which must exist until this function returns.
Segment segment_of_host(Ranks& ranks, const std::function<const SegmentOffer&()>& make_offer,
                        const std::function<void(std::byte*)>& lay_out) {
  const bool leads = ranks.map().leads_host();
  Segment segment;
  SegmentAddress address;
  ranks.agree([&] {
    if (!leads) return;
    const SegmentOffer& offer = make_offer();
    segment = offer.map();
    lay_out(segment.data());
    address = offer.address();
  });
  ranks.broadcast_node(std::as_writable_bytes(std::span(&address, 1)));
  ranks.agree([&] {  // after it all have joined, so the offer may end
    if (leads) return;
    try {
      segment = Segment::join(address);
    } catch (const Error& error) {
      throw Error("rank " + std::to_string(ranks.map().rank) + " cannot share the memory of its host (" + error.what() +
                  "); with RankOptions::ranks_per_host = 1 ranks use MPI instead");
    }
  });
  return segment;
}

struct Processors {
  std::int32_t count = 0;
  std::uint64_t hash = 0;  // of their numbers
  friend bool operator==(const Processors&, const Processors&) = default;
};

Processors processors_of_this_rank() {
  Processors processors;
  for (const int processor : allowed_processors()) {
    ++processors.count;
    processors.hash = (processors.hash ^ static_cast<std::uint64_t>(processor)) * 0x100000001b3u;
  }
  return processors;
}

using Line = std::array<char, 160>;

Line line_of(const std::string& text) {
  Line line{};
  std::strncpy(line.data(), text.c_str(), line.size() - 1);
  return line;
}

struct EndOfWorker {
  WorkerState state = WorkerState::waiting;
  std::array<char, 440> what{};
  std::array<char, 64> signal{};
};

}  // namespace

TeamMemory team_memory_over_ranks(Ranks& ranks, int threads, std::size_t bytes,
                                  const std::function<void(std::byte*)>& lay_out, std::optional<PublishedJob>& job) {
  TeamMemory memory(segment_of_host(
      ranks, [&]() -> const SegmentOffer& { return job.emplace(bytes).memory(); }, lay_out));
  const RankMap& map = ranks.map();
  for (int host = 0; map.leads_host() && host < map.hosts(); ++host) {
    if (host == map.host()) continue;
    const std::vector<int> others = map.ranks_of(host);
    for (const int rank : others)
      for (int thread = 0; thread < threads; ++thread)
        memory.worker_is_elsewhere(rank * threads + thread, rank == others.front() && thread == 0);
  }
  ranks.barrier();
  return memory;
}

std::string job_name_over_ranks(Ranks& ranks) {
  const std::vector<pid_t> pids = ranks.allgather_values(::getpid());
  return job_name(ranks.map().host_names.front(), pids.front());
}

Arena arena_over_ranks(Ranks& ranks, std::size_t bytes, std::size_t max_blocks) {
  std::optional<SegmentOffer> offer;
  return Arena::attach(segment_of_host(
      ranks, [&]() -> const SegmentOffer& { return offer.emplace(bytes); },
      [&](std::byte* memory) { Arena::lay_out(memory, bytes, max_blocks); }));
}

Placement plan_placement_over_ranks(Ranks& ranks, int threads, PinPolicy pin) {
  const RankMap& map = ranks.map();
  // Ranks that use MPI instead of shared memory still share the processors of their host, so names decide here.
  const auto host_of = [&](int rank) -> const std::string& { return map.host_names[static_cast<std::size_t>(rank)]; };
  const std::vector<Processors> of_rank = ranks.allgather_values(processors_of_this_rank());
  std::vector<int> here;
  bool alike = true;
  for (int rank = 0; rank < map.ranks(); ++rank) {
    if (host_of(rank) != host_of(map.rank)) continue;
    here.push_back(rank);
    alike = alike && of_rank[static_cast<std::size_t>(rank)] == of_rank[static_cast<std::size_t>(map.rank)];
  }
  const int workers = threads * (alike ? static_cast<int>(here.size()) : 1);
  const auto before = alike ? std::ranges::find(here, map.rank) - here.begin() : 0;
  Placement placement = plan_placement(workers, pin);
  std::vector<int> processor_of_worker;
  if (!placement.processor_of_worker.empty()) {
    const auto threads_each = static_cast<std::size_t>(threads);
    processor_of_worker.assign(static_cast<std::size_t>(map.ranks()) * threads_each, -1);
    for (std::size_t thread = 0; thread < threads_each; ++thread)
      processor_of_worker[static_cast<std::size_t>(map.rank) * threads_each + thread] =
          placement.processor_of_worker[static_cast<std::size_t>(before) * threads_each + thread];
  }
  placement.processor_of_worker = std::move(processor_of_worker);

  const std::vector<int> crowded = ranks.allgather_values(placement.oversubscribed ? 1 : 0);
  placement.oversubscribed = std::ranges::count(crowded, 1) > 0;
  const std::vector<Line> lines = ranks.allgather_values(line_of(placement.description));
  placement.description.clear();
  for (int rank = 0; rank < map.ranks(); ++rank) {
    const auto same = [&](int other) {
      return host_of(other) == host_of(rank) &&
             lines[static_cast<std::size_t>(other)] == lines[static_cast<std::size_t>(rank)];
    };
    bool is_first = true;
    for (int earlier = 0; earlier < rank; ++earlier) is_first = is_first && !same(earlier);
    if (!is_first) continue;
    if (!placement.description.empty()) placement.description += "; ";
    placement.description += host_of(rank) + ": " + lines[static_cast<std::size_t>(rank)].data();
  }
  return placement;
}

TeamReport report_of_all_ranks(Ranks& ranks, int threads, TeamReport mine) {
  const auto own = static_cast<std::size_t>(threads);
  std::vector<EndOfWorker> ends(own);
  for (std::size_t thread = 0; thread < own; ++thread) {
    const WorkerEnd& end = mine.workers[static_cast<std::size_t>(ranks.map().rank) * own + thread];
    ends[thread].state = end.state;
    std::strncpy(ends[thread].signal.data(), mine.signal.c_str(), ends[thread].signal.size() - 1);
    std::strncpy(ends[thread].what.data(), end.what.c_str(), ends[thread].what.size() - 1);
  }
  std::vector<EndOfWorker> all(own * static_cast<std::size_t>(ranks.map().ranks()));
  ranks.allgather(std::as_bytes(std::span(ends)), std::as_writable_bytes(std::span(all)));
  for (std::size_t worker = 0; worker < all.size(); ++worker) {
    mine.workers[worker].state = all[worker].state;
    mine.workers[worker].what = all[worker].what.data();
    if (mine.signal.empty()) mine.signal = all[worker].signal.data();
  }
  mine.interrupted = !mine.signal.empty();
  return mine;
}

void go_on_without_lost_rank(Ranks& ranks, int threads, const TeamReport& mine) {
  const auto is_lost = [&](int rank) {
    return mine.workers[static_cast<std::size_t>(rank) * static_cast<std::size_t>(threads)].state ==
           WorkerState::killed;
  };
  if (ranks.is_first()) return;
  int lowest_left = 0;
  while (is_lost(lowest_left)) ++lowest_left;
  if (lowest_left == ranks.map().rank) throw Error(mine.losses());
  // Rank 0 writes what is known and aborts all ranks; if it is gone too, this rank does.
  std::this_thread::sleep_for(std::chrono::seconds(10));
  ranks.abort(1);
}

}  // namespace laxity::detail
