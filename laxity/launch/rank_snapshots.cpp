#include "laxity/launch/rank_snapshots.hpp"

#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace laxity {

static_assert(std::is_trivially_copyable_v<LinkSnapshot>);

LinkSnapshot join_ends(const LinkSnapshot& sender, const LinkSnapshot& receiver) {
  LinkSnapshot both = receiver;
  both.answered = sender.answered && receiver.answered;
  both.sender_before = sender.sender_before;
  both.sender_after = sender.sender_after;
  both.inlet_before = sender.inlet_before;
  both.inlet_after = sender.inlet_after;
  return both;
}

std::vector<LinkSnapshot> snapshots_of_all_ranks(Ranks& ranks, int threads, const std::vector<LinkSnapshot>& mine) {
  const std::vector<std::vector<std::byte>> of_rank = ranks.gatherv(std::as_bytes(std::span(mine)));
  const auto host_of = [&](std::uint32_t worker) {
    return ranks.map().host_of_rank[worker / static_cast<std::uint32_t>(threads)];
  };
  struct Views {
    std::optional<LinkSnapshot> sender, receiver;
  };
  std::map<std::pair<int, LinkKey>, Views> links;
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
    std::vector<LinkSnapshot> rows(of_rank[rank].size() / sizeof(LinkSnapshot));
    if (!rows.empty()) std::memcpy(rows.data(), of_rank[rank].data(), of_rank[rank].size());
    const int host = ranks.map().host_of_rank[rank];
    for (const LinkSnapshot& row : rows) {
      Views& views = links[{row.snapshot, row.key}];
      if (host_of(row.key.from_worker) == host) views.sender = row;
      if (host_of(row.key.to_worker) == host) views.receiver = row;
    }
  }
  std::vector<LinkSnapshot> all;
  for (const auto& [key, views] : links)
    if (views.sender && views.receiver) all.push_back(join_ends(*views.sender, *views.receiver));
  return all;
}

}  // namespace laxity
