// The encoding of trace files: blocks of equal size, each with a header and records of variable length.
//
// Integers are little-endian base 128 (LEB128), signed integers in zigzag form. Times are differences from the previous
// time in the block, so that a call takes about 20 bytes. Each block has its own base time and can be decoded alone,
// given the definitions in earlier blocks.
// Source: docs/trace_format.md. Invariants: the encoder writes at most `max_record_bytes` per record; the decoder never
// reads beyond its input. Threads: none shared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace laxity::trace {

inline constexpr std::uint32_t format_version = 3;
inline constexpr std::uint32_t oldest_format_version =
    1;  ///< that can be read; 1: without threads; 2: without the errors of clocks
inline constexpr std::size_t block_bytes = std::size_t{64} << 10;
inline constexpr std::size_t max_text_bytes = 1024;    ///< longer texts are truncated
inline constexpr std::size_t max_record_bytes = 8192;  ///< of a definition, which has up to four texts
inline constexpr std::size_t max_call_bytes = 128;     ///< of a call or a completion
inline constexpr char magic[8] = {'L', 'A', 'X', 'T', 'R', 'A', 'C', 'E'};

/// The first bytes of every block.
struct BlockHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t block_bytes;
  std::uint32_t index;
  std::uint32_t used;    ///< bytes of complete records after the header
  std::int64_t base_ns;  ///< the first time in the block is relative to it
};
static_assert(sizeof(BlockHeader) == 32);
static_assert(std::endian::native == std::endian::little, "trace files are little-endian");

enum class Tag : std::uint8_t { process = 1, clock, communicator, site, call, completion, end, setting };

class Encoder {
 public:
  explicit Encoder(unsigned char* at) noexcept : at_(at) {}
  [[nodiscard]] unsigned char* at() const noexcept { return at_; }

  void byte(std::uint8_t value) noexcept { *at_++ = value; }
  void number(std::uint64_t value) noexcept {
    for (; value >= 0x80; value >>= 7) *at_++ = static_cast<unsigned char>(value | 0x80);
    *at_++ = static_cast<unsigned char>(value);
  }
  void signed_number(std::int64_t value) noexcept {
    number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void real(double value) noexcept {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void text(std::string_view value) noexcept {
    const std::size_t size = std::min(value.size(), max_text_bytes);
    number(size);
    std::memcpy(at_, value.data(), size);
    at_ += size;
  }

 private:
  unsigned char* at_;
};

/// Decodes values until the input is malformed or exhausted; from then on all values are 0 or empty and ok() is false.
class Decoder {
 public:
  Decoder(const unsigned char* begin, const unsigned char* end) noexcept : at_(begin), end_(end) {}
  [[nodiscard]] const unsigned char* at() const noexcept { return at_; }
  [[nodiscard]] bool empty() const noexcept { return at_ == end_; }
  [[nodiscard]] bool ok() const noexcept { return ok_; }

  std::uint8_t byte() noexcept {
    if (at_ == end_) return fail();
    return *at_++;
  }
  std::uint64_t number() noexcept {
    if (at_ != end_ && *at_ < 0x80) return *at_++;  // most numbers have one byte
    return long_number();
  }
  std::int64_t signed_number() noexcept {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  std::uint32_t small() noexcept {
    const std::uint64_t value = number();
    if (value > 0xFFFF'FFFF) return fail();
    return static_cast<std::uint32_t>(value);
  }
  double real() noexcept {
    double value = 0;
    if (end_ - at_ < static_cast<std::ptrdiff_t>(sizeof value)) return fail();
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > max_text_bytes || size > static_cast<std::uint64_t>(end_ - at_)) {
      fail();
      return {};
    }
    std::string value(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return value;
  }

 private:
  std::uint64_t long_number() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      if (shift == 63 && part > 1) return fail();
      value |= std::uint64_t{part & 0x7FU} << shift;
      if (part < 0x80) return ok_ ? value : 0;
    }
    return fail();
  }
  std::uint8_t fail() noexcept {
    ok_ = false;
    at_ = end_;
    return 0;
  }

  const unsigned char* at_;
  const unsigned char* end_;
  bool ok_ = true;
};

}  // namespace laxity::trace
