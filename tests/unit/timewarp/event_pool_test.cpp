// The pool allocates each record once, the record that was released last first, and not more than its capacity.
#include "laxity/timewarp/state/event_pool.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "laxity/random.hpp"

namespace laxity::timewarp {
namespace {

struct Record {
  std::uint64_t words[9];
};

TEST(EventPool, RefusesBeyondItsCapacity) {
  EventPool<Record> pool(3);
  for (EventId i = 0; i < 3; ++i) EXPECT_EQ(pool.allocate(), i);
  EXPECT_EQ(pool.allocate(), no_event);
  EXPECT_EQ(pool.free_count(), 0U);
  pool.release(1);
  pool.release(2);
  EXPECT_EQ(pool.free_count(), 2U);
  EXPECT_EQ(pool.allocate(), 2U) << "the record that was released last";
  EXPECT_EQ(pool.allocate(), 1U);
  EXPECT_EQ(pool.allocate(), no_event);
  EXPECT_EQ(pool.peak_in_use(), 3U);
}

TEST(EventPool, RecordsKeepWhatIsWritten) {
  EventPool<Record> pool(1000);
  SeededRandom random(1);
  std::vector<EventId> out;
  for (int step = 0; step < 100'000; ++step) {
    if (out.empty() || (random.below(2) == 0 && out.size() < 1000)) {
      const EventId taken = pool.allocate();
      ASSERT_NE(taken, no_event);
      ASSERT_EQ(std::count(out.begin(), out.end(), taken), 0);
      out.push_back(taken);
      for (std::uint64_t& word : pool[taken].words) word = taken;
    } else {
      std::swap(out[random.below(static_cast<std::uint32_t>(out.size()))], out.back());
      for (const std::uint64_t word : pool[out.back()].words) ASSERT_EQ(word, out.back());
      pool.release(out.back());
      out.pop_back();
    }
    ASSERT_EQ(pool.in_use(), out.size());
  }
  EXPECT_LE(pool.peak_in_use(), 1000U);
}

// Where the system permits the choice.
TEST(EventPool, ItsMemoryHasTheRequestedPlacement) {
  const auto policy_of = [](void* page) {
    int policy = -1;
    static_cast<void>(::syscall(SYS_get_mempolicy, &policy, nullptr, 0UL, page, MPOL_F_ADDR));
    return policy;
  };
  for (const auto& [placement, policy] :
       {std::pair{MemoryPlacement::local, MPOL_LOCAL}, std::pair{MemoryPlacement::interleaved, MPOL_INTERLEAVE}}) {
    alignas(4096) static std::byte probe[2][4096];
    if (!place(probe[policy == MPOL_LOCAL], 4096, placement)) GTEST_SKIP() << "this system does not permit it";
    EventPool<Record> pool(1000, placement);
    EXPECT_EQ(policy_of(&pool[0]), policy);
  }
}

}  // namespace
}  // namespace laxity::timewarp
