#include "apps/smpi_ranks/rank_connector.hpp"

namespace laxity {
namespace {

RemoteLink remote(const LinkSpec& link, std::uint32_t peer) {
  return {.peer = static_cast<int>(peer),
          .key = {"link", link.key.layer, link.key.from_worker, link.key.to_worker},
          .shape = {link.depth, link.frame_bytes},
          .type = link.type,
          .overwriting = link.overflow != Overflow::drop_newest};
}

}  // namespace

AnySender RankConnector::sender(const LinkSpec& link) { return links_.sender(remote(link, link.key.to_worker)); }
AnyReceiver RankConnector::receiver(const LinkSpec& link) {
  return links_.receiver(remote(link, link.key.from_worker));
}

RankConnector::Row& RankConnector::row(const LinkSpec& link) {
  Row& row = rows_[link.key];
  row.channels = link.channels;
  return row;
}

std::map<LinkKey, LinkCounts> RankConnector::observe_links() const {
  std::map<LinkKey, LinkCounts> counts;
  for (const auto& [key, row] : rows_) counts[key] = {row.channels, observe(row.inlet), observe(row.outlet)};
  return counts;
}

}  // namespace laxity
