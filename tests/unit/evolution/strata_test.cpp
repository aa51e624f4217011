#include "workloads/evolution/genome/strata.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <set>

#include "gtest/gtest.h"
#include "workloads/evolution/genome/genome.hpp"

namespace laxity::evolution {
namespace {

// The sites of the package downstream 1.24.1 of PyPI, which hstrat reads annotations with: tilted_algo.assign_storage_site(64, n)
// for n = 0, 1, ...
TEST(Strata, FirstSitesAreThoseOfTheTiltedAlgorithm) {
  constexpr std::array<unsigned, 70> sites{0,  1,  33, 2,  18, 34, 49, 3,  11, 19, 26, 35, 42, 50, 57, 4,  8,  12,
                                           15, 20, 23, 27, 30, 36, 39, 43, 46, 51, 54, 58, 61, 5,  7,  9,  10, 13,
                                           14, 16, 17, 21, 22, 24, 25, 28, 29, 31, 32, 37, 38, 40, 41, 44, 45, 47,
                                           48, 52, 53, 55, 56, 59, 60, 62, 63, 6,  0,  1,  33, 10, 18, 34};
  for (std::size_t i = 0; i < sites.size(); ++i) EXPECT_EQ(site_of_stratum(i), sites[i]) << i;
}

TEST(Strata, LaterSitesAreThoseOfTheTiltedAlgorithm) {
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a, over sites
  const auto add = [&](std::uint64_t stratum) { digest = (digest ^ site_of_stratum(stratum)) * 0x100000001b3U; };
  for (std::uint64_t stratum = 0; stratum < 5000; ++stratum) add(stratum);
  for (unsigned power = 13; power < 33; ++power) {
    const std::uint64_t near = std::uint64_t{1} << power;
    for (const std::uint64_t stratum : {near - 2, near - 1, near, near + 1, near + 5}) add(stratum);
  }
  EXPECT_EQ(digest, 0x897349b1815ab007U);
}

TEST(Strata, ABirthReplacesTheBitOfItsSiteByARandomOne) {
  SeededRandom random(1);
  std::set<std::uint64_t> found;
  for (int i = 0; i < 100; ++i) {
    std::uint64_t strata = 0xffff'ffff'0000'0000U;
    deposit_stratum(strata, 3, random);  // stratum 67 has site 10
    found.insert(strata ^ 0xffff'ffff'0000'0000U);
  }
  EXPECT_EQ(found, (std::set<std::uint64_t>{0, std::uint64_t{1} << 53}));
}

TEST(Strata, BirthsOfAllLevelsAreCountedAndLeaveTheirStrata) {
  SeededRandom random(2), same(2);
  Descent descent;
  std::uint64_t strata = 0;
  for (std::uint64_t birth = 1; birth <= 300; ++birth) {
    descent.add_birth(birth % 3, random);
    deposit_stratum(strata, birth, same);
    ASSERT_EQ(descent.births(), birth);
    ASSERT_EQ(descent.strata, strata);
  }
  EXPECT_EQ(descent.generations, (std::array<std::uint32_t, 3>{100, 100, 100}));
}

}  // namespace
}  // namespace laxity::evolution
