// A digest of data, to tell whether two worlds, or two files, are equal. It protects from accidents, not from forgery.
//
// Source: FNV-1a of Fowler, Noll and Vo (RFC 9923), over words of 64 bits instead of bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace laxity::evolution {

class Digest {
 public:
  void add(std::uint64_t value) noexcept { digest_ = (digest_ ^ value) * 0x100000001b3U; }
  void add(double value) noexcept { add(std::bit_cast<std::uint64_t>(value)); }
  void add(float value) noexcept { add(std::uint64_t{std::bit_cast<std::uint32_t>(value)}); }
  /// And their number.
  void add(std::span<const std::byte> bytes) noexcept {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
      add(word);
    }
    add(std::uint64_t{bytes.size()});
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return digest_; }

 private:
  std::uint64_t digest_ = 0xcbf29ce484222325U;
};

}  // namespace laxity::evolution
