#include "laxity/transport/shared_memory.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>

#include "laxity/error.hpp"

namespace laxity::detail {
namespace {

/// The description in front of a named ring. The family is the name of its C++ type, whose layout is fixed for one
/// version of the segment format (segment.cpp).
struct Description {
  static constexpr std::size_t longest_family = 192;

  std::atomic<std::uint64_t> is_complete{0};  // 1 once everything else and the ring are written
  std::uint64_t depth = 0;
  std::uint64_t frame_capacity = 0;
  char family[longest_family] = {};
};
static_assert(sizeof(Description) <= named_ring_offset);

std::string text(const std::string& family, std::uint64_t depth, std::uint64_t frame_capacity) {
  return family + " of " + std::to_string(depth) + " frames of " + std::to_string(frame_capacity) + " bytes";
}

}  // namespace

void describe_ring(std::byte* segment, const char* family, RingShape shape) {
  auto* description = new (segment) Description();
  description->depth = shape.depth;
  description->frame_capacity = shape.frame_capacity;
  std::strncpy(description->family, family, Description::longest_family - 1);
  description->is_complete.store(1, std::memory_order_release);  // pairs with the acquire in require_description
}

void require_description(const Segment& segment, const std::string& name, const char* family, RingShape shape,
                         std::size_t ring_bytes) {
  const std::string what = "named ring '" + name + "': ";
  if (segment.size() < named_ring_offset) throw Error(what + "the segment of that name holds no ring");
  const auto* found = std::launder(reinterpret_cast<const Description*>(segment.data()));
  if (found->is_complete.load(std::memory_order_acquire) != 1) {
    throw Error(what + "the segment of that name holds no ring, or its creator is not finished; try again");
  }
  const bool same_family = std::strncmp(found->family, family, Description::longest_family - 1) == 0;
  const bool same_shape = found->depth == shape.depth && found->frame_capacity == shape.frame_capacity;
  if (!same_family || !same_shape || segment.size() != named_ring_offset + ring_bytes) {
    throw Error(what + "holds " + text(found->family, found->depth, found->frame_capacity) + ", expected " +
                text(family, shape.depth, shape.frame_capacity));
  }
}

}  // namespace laxity::detail
