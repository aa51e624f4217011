#include "laxity/transport/detail/mpi_agreement.hpp"

#include <type_traits>

#include "laxity/mpi_call.hpp"

namespace laxity::detail {
namespace {

template <class Item>
std::vector<std::vector<Item>> exchange_items(const std::vector<std::vector<Item>>& to_each, MPI_Comm communicator) {
  static_assert(std::is_trivially_copyable_v<Item>);
  const std::size_t ranks = to_each.size();
  std::vector<int> bytes_out(ranks), bytes_in(ranks), at_out(ranks + 1), at_in(ranks + 1);
  std::vector<Item> out;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    bytes_out[rank] = static_cast<int>(to_each[rank].size() * sizeof(Item));
    at_out[rank + 1] = at_out[rank] + bytes_out[rank];
    out.insert(out.end(), to_each[rank].begin(), to_each[rank].end());
  }
  mpi::check("MPI_Alltoall", MPI_Alltoall(bytes_out.data(), 1, MPI_INT, bytes_in.data(), 1, MPI_INT, communicator));
  for (std::size_t rank = 0; rank < ranks; ++rank) at_in[rank + 1] = at_in[rank] + bytes_in[rank];
  std::vector<Item> in(static_cast<std::size_t>(at_in[ranks]) / sizeof(Item));
  mpi::check("MPI_Alltoallv", MPI_Alltoallv(out.data(), bytes_out.data(), at_out.data(), MPI_BYTE, in.data(),
                                            bytes_in.data(), at_in.data(), MPI_BYTE, communicator));
  std::vector<std::vector<Item>> from_each(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto item_at = [&](std::size_t place) {
      return in.begin() + at_in[place] / static_cast<std::ptrdiff_t>(sizeof(Item));
    };
    from_each[rank].assign(item_at(rank), item_at(rank + 1));
  }
  return from_each;
}

}  // namespace

std::vector<std::vector<MpiEndDescription>> exchange_descriptions(
    const std::vector<std::vector<MpiEndDescription>>& to_each, MPI_Comm communicator) {
  return exchange_items(to_each, communicator);
}

std::vector<std::vector<std::uint64_t>> exchange_numbers(const std::vector<std::vector<std::uint64_t>>& to_each,
                                                         MPI_Comm communicator) {
  return exchange_items(to_each, communicator);
}

MpiOtherEnds::MpiOtherEnds(std::span<const MpiEndDescription> theirs) {
  for (const MpiEndDescription& each : theirs) {
    auto& same_direction = by_key_[each.sends];
    same_direction.try_emplace(each.key, Found{each, same_direction.size()});
  }
}

std::optional<MpiOtherEnds::Found> MpiOtherEnds::find(const MpiEndDescription& ours) const {
  const auto& opposite = by_key_[1 - ours.sends];
  const auto found = opposite.find(ours.key);
  if (found == opposite.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> disagreement(const MpiEndDescription& one, const MpiEndDescription& other) {
  const MpiEndDescription& sender = one.sends != 0 ? one : other;
  const MpiEndDescription& receiver = one.sends != 0 ? other : one;
  const auto of = [](const char* what, std::uint64_t sends, std::uint64_t receives) {
    return "the sender has " + std::string(what) + " " + std::to_string(sends) + ", the receiver " +
           std::to_string(receives);
  };
  if (sender.version != receiver.version) return of("protocol version", sender.version, receiver.version);
  if (sender.type.hash != receiver.type.hash)
    return "the sender is made for " + sender.type.text() + ", the receiver for " + receiver.type.text();
  if (sender.depth != receiver.depth) return of("depth", sender.depth, receiver.depth);
  if (sender.frame_capacity != receiver.frame_capacity)
    return of("frame capacity", sender.frame_capacity, receiver.frame_capacity);
  if (sender.kind != receiver.kind)
    return of("kind", static_cast<std::uint64_t>(sender.kind), static_cast<std::uint64_t>(receiver.kind));
  return std::nullopt;
}

}  // namespace laxity::detail
