#include "workloads/evolution/genome/strata.hpp"

#include <algorithm>
#include <bit>

namespace laxity::evolution {

// Strata are classed by the number h of trailing ones in their number: half of them have h = 0, a quarter h = 1, and so on. A
// class has a ring of sites, one in each of the segments that it is given, and every stratum of a class takes the next segment
// of its ring. In each later epoch (the number of strata doubles) some class loses segments to the classes of higher h.
unsigned site_of_stratum(std::uint64_t stratum) noexcept {
  constexpr unsigned first_epoch_bits = std::bit_width(strata_sites) - 1;
  const auto bits = static_cast<unsigned>(std::bit_width(stratum));
  const unsigned epoch = bits - std::min(bits, first_epoch_bits);
  const auto h = static_cast<unsigned>(std::countr_one(stratum));
  const std::uint64_t of_class = stratum >> (h + 1);  // strata of this class before this one

  // Epochs are grouped into meta-epochs, in which the number of segments is constant but for classes not yet invaded.
  const auto epoch_bits = static_cast<unsigned>(std::bit_width(epoch));
  const unsigned meta = epoch_bits - (std::bit_floor(epoch * 2) > epoch + epoch_bits ? 1 : 0);
  const unsigned meta_begin = (1U << meta) - meta, next_meta_begin = (2U << meta) - (meta + 1);
  const bool not_invaded = epoch < h + meta_begin && h + meta_begin < next_meta_begin;
  const unsigned segments = std::max(strata_sites >> (meta + 1 - (not_invaded ? 1 : 0)), 1U);

  // Segments are filled by levels: the first is the longest one, each level halves the distances between them.
  const auto logical = static_cast<unsigned>(of_class & (segments - 1));
  const auto level = static_cast<unsigned>(std::bit_width(logical));
  const unsigned distance = level == 0 ? 0 : strata_sites >> level;
  const unsigned physical = distance / 2 + distance * (logical - std::bit_floor(logical));
  const auto ones = static_cast<unsigned>(std::popcount(2 * strata_sites - physical));
  return 2 * physical + ones - (logical == 0 ? 1 : 2) + h;
}

void deposit_stratum(std::uint64_t& strata, std::uint64_t birth, SeededRandom& random) noexcept {
  const unsigned shift = strata_sites - 1 - site_of_stratum(strata_sites + birth);
  strata = (strata & ~(std::uint64_t{1} << shift)) | (random.bits() >> 63) << shift;
}

}  // namespace laxity::evolution
