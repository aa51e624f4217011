#include "laxity/schedule/detail/algorithms/tree_phases.hpp"

#include <algorithm>

namespace laxity::schedule::detail {

std::uint32_t segments_of(const CollectiveCall& call) noexcept {
  if (call.segment_bytes == 0 || call.bytes <= call.segment_bytes) return 1;
  return static_cast<std::uint32_t>((call.bytes + call.segment_bytes - 1) / call.segment_bytes);
}

Frontier reduce_over(Builder& builder, const TreeNode& node, const Frontier& after) {
  const std::uint32_t segments = segments_of(builder.call());
  Frontier frontier = after;
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    const Slots slots{segment};
    const std::uint64_t bytes = builder.bytes_of(slots, segments);
    for (const std::uint32_t child : node.children) frontier = {builder.receive(child, bytes, slots, frontier, true)};
    if (node.parent) frontier = {builder.send(*node.parent, bytes, slots, frontier)};
  }
  return frontier;
}

Frontier bcast_over(Builder& builder, const TreeNode& node, const Frontier& after) {
  const std::uint32_t segments = segments_of(builder.call());
  Frontier received = after, sent = after;
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    const Slots slots{segment};
    const std::uint64_t bytes = builder.bytes_of(slots, segments);
    if (node.parent) received = {builder.receive(*node.parent, bytes, slots, received)};
    Frontier before_sends = received;
    if (segment > 0 && !node.children.empty()) before_sends.insert(before_sends.end(), sent.begin(), sent.end());
    sent.clear();
    for (const std::uint32_t child : node.children) sent.push_back(builder.send(child, bytes, slots, before_sends));
  }
  Frontier frontier = node.children.empty() ? received : sent;
  return frontier.empty() ? after : frontier;
}

}  // namespace laxity::schedule::detail
