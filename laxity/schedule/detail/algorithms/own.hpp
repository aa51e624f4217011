// Schedules of laxity's own algorithms (laxity/collective/algorithms/). Receives are posted at once and matched in the order
// of arrival, as there.
//
// Threads: pure functions.
#pragma once

#include "laxity/schedule/detail/algorithms/builder.hpp"

namespace laxity::schedule::detail {

[[nodiscard]] Frontier reduce_in_arrival_order(Builder& builder, const Frontier& after);
[[nodiscard]] Frontier reduce_by_parts(Builder& builder, const Frontier& after);
[[nodiscard]] Frontier allreduce_in_arrival_order(Builder& builder, const Frontier& after);
[[nodiscard]] Frontier allreduce_in_rank_order(Builder& builder, const Frontier& after);
[[nodiscard]] Frontier allreduce_by_parts(Builder& builder, const Frontier& after);
[[nodiscard]] Frontier pre_reduced_ring(Builder& builder, const Frontier& after);
[[nodiscard]] Frontier exchange_in_arrival_order(Builder& builder, const Frontier& after);

}  // namespace laxity::schedule::detail
