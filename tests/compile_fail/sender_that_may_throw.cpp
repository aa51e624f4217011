// expect: try_claim\(\). is not .noexcept.|may throw
#include <cstddef>

#include "laxity/transport/any_transport.hpp"

struct SenderThatMayThrow {
  static constexpr bool lossless = true;
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return 64; }
  [[nodiscard]] std::byte* try_claim() { return nullptr; }
  void publish(std::size_t) noexcept {}
};
static_assert(laxity::Sender<SenderThatMayThrow>);
