#include "laxity/schedule/schedule.hpp"

#include <algorithm>
#include <string>

#include "laxity/check.hpp"
#include "laxity/error.hpp"

namespace laxity::schedule {
namespace {

template <class T>
std::span<const T> row(const std::vector<T>& values, const std::vector<std::size_t>& first, std::uint32_t index) {
  if (index >= first.size()) return {};
  const std::size_t end = index + 1 < first.size() ? first[index + 1] : values.size();
  return std::span(values).subspan(first[index], end - first[index]);
}

}  // namespace

Schedule::Schedule(std::uint32_t ranks) : ranks_(ranks) {
  if (ranks == 0 || ranks > (std::uint32_t{1} << 31))
    throw UsageError("ranks = " + std::to_string(ranks) + ": a schedule has 1 to 2^31 ranks");
}

void Schedule::begin_rank() {
  LAXITY_CHECK(first_op_.size() < ranks_);
  first_op_.push_back(ops_.size());
  first_edge_.push_back(edges_.size());
}

OpId Schedule::add(const Op& op, std::span<const OpId> after) {
  const OpId id = next_id();
  for (const OpId before : after) require({before, id});
  ops_.push_back(op);
  return id;
}

void Schedule::require(const Edge& edge) {
  if (edge.before == edge.after)
    throw UsageError("operation " + std::to_string(edge.after) + " cannot wait for itself");
  edges_.push_back(edge);
}

OpId Schedule::send(std::uint32_t to, std::uint64_t bytes, std::span<const OpId> after, std::uint32_t tag) {
  return add({.size = bytes, .peer = to, .tag = tag, .action = Action::send}, after);
}

OpId Schedule::receive(std::uint32_t from, std::uint64_t bytes, std::span<const OpId> after, std::uint32_t tag) {
  return add({.size = bytes, .peer = from, .tag = tag, .action = Action::receive}, after);
}

OpId Schedule::compute(std::uint64_t time_ns, std::span<const OpId> after) {
  return add({.size = time_ns, .action = Action::compute}, after);
}

std::span<const Op> Schedule::ops(std::uint32_t rank) const noexcept { return row(ops_, first_op_, rank); }
std::span<const Edge> Schedule::edges(std::uint32_t rank) const noexcept { return row(edges_, first_edge_, rank); }

std::size_t Schedule::messages() const noexcept {
  return static_cast<std::size_t>(std::ranges::count(ops_, Action::send, &Op::action));
}

}  // namespace laxity::schedule
