// expect: required expression .sender\.publish|sender\.publish.* would be invalid
#include <cstddef>

#include "laxity/transport/any_transport.hpp"

struct SenderWithoutPublish {
  static constexpr bool lossless = true;
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return 64; }
  [[nodiscard]] std::byte* try_claim() noexcept { return nullptr; }
};
static_assert(laxity::Sender<SenderWithoutPublish>);
