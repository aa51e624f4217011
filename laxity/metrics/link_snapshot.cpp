#include "laxity/metrics/link_snapshot.hpp"

#include <tuple>

namespace laxity {
namespace {

InletObservation operator+(const InletObservation& a, const InletObservation& b) noexcept {
  return {a.attempted + b.attempted, a.refused + b.refused, a.superseded + b.superseded, a.unchanged + b.unchanged};
}

OutletObservation operator+(const OutletObservation& a, const OutletObservation& b) noexcept {
  return {a.pulls + b.pulls,     a.laden + b.laden, a.received + b.received,    a.superseded + b.superseded,
          a.touches + b.touches, a.timed + b.timed, a.one_way_ns + b.one_way_ns};
}

}  // namespace

LinkSnapshot make_snapshot(int number, const LinkKey& key, const LinkObservation& before,
                           const LinkObservation& after) {
  return {.snapshot = number,
          .key = key,
          .neighbor_kind = after.neighbor_kind,
          .channels = after.channels,
          .answered = before.answered && after.answered,
          .sender_before = before.sender,
          .sender_after = after.sender,
          .receiver_before = before.receiver,
          .receiver_after = after.receiver,
          .inlet_before = before.inlet,
          .inlet_after = after.inlet,
          .outlet_before = before.outlet,
          .outlet_after = after.outlet};
}

void add_snapshots(std::vector<LinkSnapshot>& snapshots, int number, const LinkObservations& before,
                   const LinkObservations& after) {
  for (const auto& [key, end] : after)
    if (const auto begin = before.find(key); begin != before.end())  // else it was claimed in between
      snapshots.push_back(make_snapshot(number, key, begin->second, end));
}

std::vector<LinkSnapshot> sum_channels(const std::vector<LinkSnapshot>& snapshots) {
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>, LinkSnapshot> sums;
  for (const LinkSnapshot& row : snapshots) {
    const auto [place, is_first] =
        sums.try_emplace({row.snapshot, row.key.layer, row.key.from_worker, row.key.to_worker}, row);
    LinkSnapshot& sum = place->second;
    sum.key.channel = 0;
    if (is_first) continue;
    sum.channels += row.channels;
    sum.summed_channels += row.summed_channels;
    sum.answered = sum.answered && row.answered;
    sum.inlet_before = sum.inlet_before + row.inlet_before;
    sum.inlet_after = sum.inlet_after + row.inlet_after;
    sum.outlet_before = sum.outlet_before + row.outlet_before;
    sum.outlet_after = sum.outlet_after + row.outlet_after;
  }
  std::vector<LinkSnapshot> result;
  for (const auto& [key, sum] : sums) result.push_back(sum);
  return result;
}

}  // namespace laxity
