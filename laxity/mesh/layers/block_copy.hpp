// A gather, dst[i] = src[index[i]], as few block copies, for index lists that consist mostly of long runs.
//
// On a lattice "the value of the left neighbor of every node" is the whole array shifted by one, except for some nodes
// at the border. The plan stores long runs as block copies and the rest as strided copies of single elements, which are
// evenly spaced on a lattice. So a gather moves cache lines and reads no index per element.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace laxity {

class BlockCopy {
 public:
  BlockCopy() = default;

  explicit BlockCopy(std::span<const std::uint32_t> index) {
    const auto count = static_cast<std::uint32_t>(index.size());
    for (std::uint32_t i = 0; i < count;) {
      std::uint32_t end = i + 1;
      while (end < count && index[end] - index[i] == end - i) ++end;
      append({i, index[i], end - i});
      i = end;
    }
  }

  template <class T>
  void run(const T* src, T* dst) const noexcept {
    for (const Block& block : blocks_) std::memcpy(dst + block.to, src + block.from, block.count * sizeof(T));
    for (const Stripe stripe : stripes_) {  // by value: a store to dst may alias stripes_
      T* to = dst + stripe.to;
      const T* from = src + stripe.from;
      for (std::uint32_t i = 0; i < stripe.count; ++i, to += stripe.to_step, from += stripe.from_step) *to = *from;
    }
  }

  /// The same for elements whose size is known at run time only.
  void run(const std::byte* src, std::byte* dst, std::size_t element_bytes) const noexcept {
    const auto as = [&]<std::size_t bytes>() {
      using Element = std::array<std::byte, bytes>;
      run(reinterpret_cast<const Element*>(src), reinterpret_cast<Element*>(dst));
    };
    switch (element_bytes) {  // sizes of numbers, whose copies the compiler turns into a load and a store
      case 1:
        return as.template operator()<1>();
      case 2:
        return as.template operator()<2>();
      case 4:
        return as.template operator()<4>();
      case 8:
        return as.template operator()<8>();
      case 16:
        return as.template operator()<16>();
      default:
        break;
    }
    for (const Block& block : blocks_)
      std::memcpy(dst + block.to * element_bytes, src + block.from * element_bytes, block.count * element_bytes);
    for (const Stripe& stripe : stripes_)
      for (std::uint32_t i = 0; i < stripe.count; ++i)
        std::memcpy(
            dst + (stripe.to + std::ptrdiff_t{i} * stripe.to_step) * static_cast<std::ptrdiff_t>(element_bytes),
            src + (stripe.from + std::ptrdiff_t{i} * stripe.from_step) * static_cast<std::ptrdiff_t>(element_bytes),
            element_bytes);
  }

  /// Whether the result is one contiguous part of src, beginning at view_begin(), so that no copy is needed.
  [[nodiscard]] bool is_view() const noexcept { return blocks_.size() == 1 && stripes_.empty(); }
  [[nodiscard]] std::uint32_t view_begin() const noexcept { return blocks_[0].from; }

 private:
  struct Block {
    std::uint32_t to, from, count;
  };
  struct Stripe {
    std::uint32_t to, from;
    std::int32_t to_step, from_step;
    std::uint32_t count;
  };

  // A short run between two long ones with the same shift goes to the stripes, and one block copy spans all three; the
  // stripes then overwrite the gap.
  void append(Block run) {
    constexpr std::uint32_t short_run = 8;
    if (!blocks_.empty()) {
      Block& last = blocks_.back();
      const std::uint32_t gap = run.to - (last.to + last.count);
      if (gap <= short_run && run.from - last.from == run.to - last.to) {
        last.count += gap + run.count;
        return;
      }
    }
    if (run.count <= short_run) {
      for (std::uint32_t i = 0; i < run.count; ++i) append(run.to + i, run.from + i);
    } else {
      blocks_.push_back(run);
    }
  }

  void append(std::uint32_t to, std::uint32_t from) {
    if (!stripes_.empty()) {
      Stripe& last = stripes_.back();
      const auto to_step = last.count == 1 ? static_cast<std::int32_t>(to - last.to) : last.to_step;
      const auto from_step = last.count == 1 ? static_cast<std::int32_t>(from - last.from) : last.from_step;
      if (to - last.to == last.count * static_cast<std::uint32_t>(to_step) &&
          from - last.from == last.count * static_cast<std::uint32_t>(from_step)) {
        last = {last.to, last.from, to_step, from_step, last.count + 1};
        return;
      }
    }
    stripes_.push_back({to, from, 0, 0, 1});
  }

  std::vector<Block> blocks_;
  std::vector<Stripe> stripes_;
};

}  // namespace laxity
