// Matches messages with receive operations, as an MPI library does: by source and tag, in the order of arrival and of
// posting.
//
// Operations are numbered over all ranks. Posted receives and unexpected messages lie in lists, one pair of lists for
// each destination, source and tag; in a schedule with wildcards one pair for each destination, which is then searched.
// A pair that has become empty leaves the table, so that the table stays as small as the number of operations that
// wait.
// Threads: one.
#pragma once

#include <cstdint>
#include <vector>

#include "laxity/schedule/schedule.hpp"

namespace laxity::schedule::detail {

inline constexpr std::uint32_t none = any;  ///< no operation

/// What a message carries, or what a receive asks for.
struct Envelope {
  std::uint32_t destination = 0;
  std::uint32_t source = 0;
  std::uint32_t tag = 0;

  friend bool operator==(const Envelope&, const Envelope&) = default;
};

class Matching {
 public:
  /// For operations 0 .. ops - 1.
  Matching(std::size_t ops, bool wildcards);

  /// A receive is posted: the first unexpected message that fits leaves its list; `none` if there is none, and the
  /// receive waits.
  [[nodiscard]] std::uint32_t post(std::uint32_t receive, const Envelope& wanted);
  /// A message arrives: the first posted receive that fits leaves its list; `none` if there is none, and the message
  /// waits.
  [[nodiscard]] std::uint32_t arrive(std::uint32_t message, const Envelope& envelope);

 private:
  struct List {
    std::uint32_t head = none;
    std::uint32_t tail = none;
  };
  struct Bucket {
    Envelope key{.destination = none};
    List posted;
    List unexpected;
  };

  [[nodiscard]] Bucket& bucket_of(const Envelope& envelope);
  void grow();
  void erase_if_empty(Bucket& bucket);
  void append(List& list, std::uint32_t op, const Envelope& envelope);
  [[nodiscard]] std::uint32_t take_first(List& list, const Envelope& fitting);

  bool wildcards_;
  std::vector<std::uint32_t> next_;  // in the list of an operation
  std::vector<Envelope> envelopes_;  // of the operations in lists, if there are wildcards
  std::vector<Bucket> buckets_;      // open addressing; a power of two
  std::size_t used_ = 0;
};

}  // namespace laxity::schedule::detail
