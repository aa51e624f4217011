// What the other files of this folder do wrong, done right: this one must compile.
#include <cstddef>
#include <cstdint>

#include "laxity/transport/any_transport.hpp"

struct WholeSender {
  static constexpr bool lossless = true;
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return 64; }
  [[nodiscard]] std::byte* try_claim() noexcept { return nullptr; }
  void publish(std::size_t) noexcept {}
};

laxity::AnySender hold() { return WholeSender{}; }
