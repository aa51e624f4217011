#include "laxity/metrics/counter_table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/metrics/worker_probe.hpp"
#include "table_in_memory.hpp"

namespace laxity {
namespace {

TEST(CounterTable, BothEndsFindTheSameRow) {
  const TableInMemory memory(2, 8);
  const LinkKey key{0, 0, 1, 3};
  LinkRow& sent = memory.table.link(key, NeighborKind::thread, 4);
  LinkRow& received = memory.table.link(key, NeighborKind::thread, 4);
  EXPECT_EQ(&sent, &received);
  EXPECT_EQ(sent.channels.load(), 4U);
  EXPECT_EQ(sent.neighbor_kind.load(), NeighborKind::thread);
  EXPECT_EQ(memory.table.links(), 1U);
}

TEST(CounterTable, KeepsEveryKeyApart) {
  const TableInMemory memory(65536, 64);
  const std::vector<LinkKey> keys{{0, 0, 0, 0},
                                  {1, 0, 0, 0},
                                  {0, 1, 0, 0},
                                  {0, 0, 1, 0},
                                  {0, 0, 0, 1},
                                  {127, 0, 0, 0},
                                  {0, 65535, 0, 0},
                                  {0, 0, 65535, 0},
                                  {0, 0, 0, (1 << 24) - 1},
                                  {1, 2, 3, 4},
                                  {127, 65535, 65535, (1 << 24) - 1}};
  std::set<LinkRow*> rows;
  for (const LinkKey& key : keys) rows.insert(&memory.table.link(key, NeighborKind::process, 1));
  EXPECT_EQ(rows.size(), keys.size());

  std::set<LinkKey> seen;
  memory.table.for_each_link([&](const LinkKey& key, LinkRow&) { seen.insert(key); });
  EXPECT_EQ(seen, std::set<LinkKey>(keys.begin(), keys.end()));
}

TEST(CounterTable, RefusesKeysThatDoNotFit) {
  const TableInMemory memory(2, 8);
  EXPECT_THROW(memory.table.link({0, 2, 0, 0}, NeighborKind::thread, 1), UsageError);
  EXPECT_THROW(memory.table.link({0, 0, 2, 0}, NeighborKind::thread, 1), UsageError);
  EXPECT_THROW(memory.table.link({128, 0, 1, 0}, NeighborKind::thread, 1), UsageError);
  EXPECT_THROW(memory.table.link({0, 0, 1, 1 << 24}, NeighborKind::thread, 1), UsageError);
  EXPECT_THROW((void)CounterTable::bytes_needed(0, 1), UsageError);
  EXPECT_THROW((void)CounterTable::bytes_needed(-1, 1), UsageError);
  EXPECT_THROW((void)CounterTable::bytes_needed(1, ~std::size_t{0}), UsageError);
}

TEST(CounterTable, SaysThatItIsFullAndStillFindsWhatItHas) {
  const TableInMemory memory(2, 3);
  for (std::uint32_t channel = 0; channel < 3; ++channel) memory.table.link({0, 0, 1, channel}, {}, 1);
  EXPECT_THROW(memory.table.link({0, 0, 1, 3}, {}, 1), Error);
  EXPECT_NO_THROW(memory.table.link({0, 0, 1, 2}, {}, 1));
}

TEST(CounterTable, ThreadsThatClaimAtTheSameTimeAgree) {
  constexpr std::uint32_t links = 500;
  const TableInMemory memory(2, 600);
  std::vector<std::vector<LinkRow*>> found(4, std::vector<LinkRow*>(links));
  std::vector<std::thread> threads;
  for (auto& rows : found)
    threads.emplace_back([&] {
      for (std::uint32_t channel = 0; channel < links; ++channel)
        rows[channel] = &memory.table.link({0, 0, 1, channel}, NeighborKind::thread, 1);
    });
  for (auto& thread : threads) thread.join();
  for (const auto& rows : found) EXPECT_EQ(rows, found[0]);
  EXPECT_EQ(std::set<LinkRow*>(found[0].begin(), found[0].end()).size(), links);
  EXPECT_EQ(memory.table.links(), links);
}

class CountingClock {
 public:
  explicit CountingClock(int& readings) : readings_(&readings) {}
  [[nodiscard]] std::int64_t now_ns() const noexcept { return ++*readings_; }

 private:
  int* readings_;
};

TEST(WorkerProbe, ReadsTheClockOnlyToAnswer) {
  const TableInMemory memory(1, 4);
  int readings = 0;
  WorkerProbe probe(memory.table, 0);
  for (int update = 0; update < 100; ++update) probe.update_done(CountingClock(readings));
  EXPECT_EQ(readings, 0);
  EXPECT_EQ(probe.updates(), 100U);

  memory.table.worker(0).request.store(1);
  probe.update_done(CountingClock(readings));
  probe.update_done(CountingClock(readings));
  EXPECT_EQ(readings, 1);
  EXPECT_EQ(memory.table.worker(0).answered.load(), 1U);
  EXPECT_EQ(memory.table.worker(0).answer.updates, 101U);
}

TEST(WorkerProbe, AnswersForTheEndsItWritesAndNoOthers) {
  const TableInMemory memory(2, 4);
  LinkRow& to_other = memory.table.link({0, 0, 1, 0}, NeighborKind::thread, 1);
  LinkRow& to_us = memory.table.link({0, 1, 0, 0}, NeighborKind::thread, 1);
  for (LinkRow* row : {&to_other, &to_us}) {
    row->inlet.attempted.set(5);
    row->outlet.empty.set(7);
  }
  WorkerProbe probe(memory.table, 0);
  memory.table.worker(0).request.store(1);
  probe.update_done(ManualClock(42));
  EXPECT_EQ(to_other.inlet_answer.attempted, 5U);
  EXPECT_EQ(to_other.outlet_answer.pulls, 0U);
  EXPECT_EQ(to_us.inlet_answer.attempted, 0U);
  EXPECT_EQ(to_us.outlet_answer.pulls, 7U);
  EXPECT_EQ(memory.table.worker(0).answer.time_ns, 42);
}

TEST(WorkerProbe, FindsLinksClaimedAfterItsFirstAnswer) {
  const TableInMemory memory(2, 4);
  WorkerProbe probe(memory.table, 0);
  memory.table.worker(0).request.store(1);
  probe.update_done(ManualClock());
  LinkRow& row = memory.table.link({0, 0, 1, 0}, NeighborKind::thread, 1);
  row.inlet.attempted.set(9);
  memory.table.worker(0).request.store(2);
  probe.update_done(ManualClock());
  EXPECT_EQ(row.inlet_answer.attempted, 9U);
}

}  // namespace
}  // namespace laxity
