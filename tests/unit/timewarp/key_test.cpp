// Keys order like (time, priority, sender, sequence), and partitions give every process to one worker.
#include "laxity/timewarp/key.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "laxity/random.hpp"
#include "laxity/timewarp/partition.hpp"

namespace laxity::timewarp {
namespace {

constexpr LpId max_processes = std::numeric_limits<LpId>::max();

TEST(Key, OrdersLikeTimePrioritySenderSequence) {
  const TieLayout layout(100);
  SeededRandom random(1);
  const auto drawn = [&] {
    return std::tuple(random.below(3) * 0.5, static_cast<Priority>(random.below(3)), LpId{random.below(3)},
                      std::uint64_t{random.below(3)});
  };
  const auto key = [&](const auto& parts) {
    return Key{TimeBits<double>::of(std::get<0>(parts)),
               layout.tie(std::get<1>(parts), std::get<2>(parts), std::get<3>(parts))};
  };
  for (int i = 0; i < 10'000; ++i) {
    const auto a = drawn();
    const auto b = drawn();
    EXPECT_EQ(key(a) < key(b), a < b);
    EXPECT_EQ(key(a) == key(b), a == b);
  }
}

TEST(Key, TheBitsOfTimesOrderLikeTheTimes) {
  const std::vector<double> times{0.0, 5e-324, 1e-310, 2.2e-308, 1e-300, 0.5, 1.0, 1.0000000000000002, 1e300, 1.7e308};
  for (std::size_t i = 1; i < times.size(); ++i) {
    EXPECT_LT(TimeBits<double>::of(times[i - 1]), TimeBits<double>::of(times[i])) << times[i];
    EXPECT_EQ(TimeBits<double>::time(TimeBits<double>::of(times[i])), times[i]);
  }
  EXPECT_LT(TimeBits<std::int64_t>::of(0), TimeBits<std::int64_t>::of(TimeBits<std::int64_t>::latest));
  EXPECT_LT(TimeBits<std::int64_t>::of(TimeBits<std::int64_t>::latest), latest_key.time);
  EXPECT_LT(TimeBits<double>::of(TimeBits<double>::latest), latest_key.time);
}

TEST(Key, ATieContainsItsParts) {
  for (const LpId processes : {LpId{1}, LpId{2}, LpId{3}, LpId{1000}, LpId{1} << 31, max_processes}) {
    const TieLayout layout(processes);
    for (const LpId sender : {LpId{0}, processes / 2, processes - 1}) {
      for (const std::uint64_t sequence : {std::uint64_t{0}, std::uint64_t{1}, layout.max_sequences() - 1}) {
        const Key key{7, layout.tie(0xfffe, sender, sequence)};
        EXPECT_EQ(key.priority(), 0xfffe);
        EXPECT_EQ(layout.sender(key.tie), sender) << processes;
        EXPECT_EQ(layout.sequence(key.tie), sequence) << processes;
        EXPECT_EQ(key.instant(), (Key{7, std::uint64_t{0xfffe} << 48}));
      }
    }
  }
  EXPECT_EQ(TieLayout(max_processes).max_sequences(), 65536U);
  EXPECT_EQ(TieLayout(1000).max_sequences(), std::uint64_t{1} << 38);
}

TEST(Partition, GivesEveryProcessToOneWorker) {
  for (const LpId processes : {1U, 2U, 3U, 7U, 64U, 65U}) {
    for (int workers = 1; workers <= 9; ++workers) {
      const Partition partition(processes, workers);
      LpId next = 0;
      for (int worker = 0; worker < workers; ++worker) {
        EXPECT_EQ(partition.first(worker), next);
        for (LpId i = 0; i < partition.size(worker); ++i) EXPECT_EQ(partition.worker_of(next++), worker);
      }
      EXPECT_EQ(next, processes) << workers << " workers";
    }
  }
}

TEST(Partition, SupportsTheMaximumNumberOfProcesses) {
  const Partition partition(max_processes, 3);
  EXPECT_EQ(partition.worker_of(max_processes - 1), 2);
  EXPECT_EQ(partition.first(2) + partition.size(2), max_processes);
}

}  // namespace
}  // namespace laxity::timewarp
