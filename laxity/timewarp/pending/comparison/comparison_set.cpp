#include "laxity/timewarp/pending/comparison/comparison_set.hpp"

#include "laxity/error.hpp"

namespace laxity::timewarp {

ComparisonSet::ComparisonSet() = default;
ComparisonSet::ComparisonSet(const ComparisonSet& other) = default;
ComparisonSet::~ComparisonSet() = default;

ComparisonSet::ComparisonSet(Queue queue) {
  switch (queue) {
    case Queue::heap:
      break;
    case Queue::ladder:
      set_.emplace<LadderQueue>();
      break;
    case Queue::two_tier_ladder:
      set_.emplace<TwoTierLadder>();
      break;
    case Queue::three_tier_heap:
      set_.emplace<ThreeTierHeap>();
      break;
    case Queue::bucket:
      throw UsageError("queue = bucket: not one of the pending-event sets for comparison");
  }
}

void ComparisonSet::push(const PendingEvent& event) {
  std::visit([&](auto& set) { set.push(event); }, set_);
}

const PendingEvent* ComparisonSet::top() {
  return std::visit([](auto& set) { return set.top(); }, set_);
}

void ComparisonSet::pop() {
  std::visit([](auto& set) { set.pop(); }, set_);
}

std::size_t ComparisonSet::size() const noexcept {
  return std::visit([](const auto& set) { return set.size(); }, set_);
}

std::span<const PendingEvent> ComparisonSet::upcoming() const noexcept {
  return std::visit(
      [](const auto& set) -> std::span<const PendingEvent> {
        if constexpr (requires { set.upcoming(); }) return set.upcoming();
        return {};
      },
      set_);
}

}  // namespace laxity::timewarp
