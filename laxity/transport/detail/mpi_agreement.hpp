// The handshake of links over MPI: before the first frame, ranks check that both ends of every link exist and match.
//
// Threads: collective, one of each process. Elsewhere: who calls it (mpi.cpp).
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "laxity/transport/arena.hpp"
#include "laxity/transport/detail/mpi_frame.hpp"
#include "laxity/transport/payload_type.hpp"

namespace laxity::detail {

enum class MpiLinkKind : std::uint32_t { two_sided, ready_send, one_sided, overwriting, overwriting_one_sided };

/// The description of an end, sent to the rank of the other end as bytes.
struct MpiEndDescription {
  BlockKey key;
  std::uint32_t version = mpi_frame_version;
  MpiLinkKind kind = MpiLinkKind::two_sided;
  std::uint32_t sends = 0;  // 1: the sender, 0: the receiver
  std::uint64_t depth = 0;
  std::uint64_t frame_capacity = 0;
  PayloadType type{};
  std::int64_t window_offset = 0;  // of its part in the window of its rank
};

/// Collective. Sends a list to each rank and returns the list that each rank has sent to this one, both by rank.
[[nodiscard]] std::vector<std::vector<MpiEndDescription>> exchange_descriptions(
    const std::vector<std::vector<MpiEndDescription>>& to_each, MPI_Comm communicator);

/// Collective. Sends a list of numbers to each rank and returns the lists received, both by rank.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> exchange_numbers(
    const std::vector<std::vector<std::uint64_t>>& to_each, MPI_Comm communicator);

/// The ends that another rank has made for links with this one, found by key.
class MpiOtherEnds {
 public:
  struct Found {
    const MpiEndDescription& description;
    std::size_t index;  // among the ends of its direction, from 0
  };

  explicit MpiOtherEnds(std::span<const MpiEndDescription> theirs);
  /// The other end of `ours`; nullopt: it was not made.
  [[nodiscard]] std::optional<Found> find(const MpiEndDescription& ours) const;

 private:
  struct Hash {
    std::size_t operator()(const BlockKey& key) const noexcept { return key.hash(); }
  };
  std::array<std::unordered_map<BlockKey, Found, Hash>, 2> by_key_;  // receivers, senders
};

/// The first difference of two ends: "the sender has depth 2, the receiver 4"; nullopt: none.
[[nodiscard]] std::optional<std::string> disagreement(const MpiEndDescription& one, const MpiEndDescription& other);

}  // namespace laxity::detail
