// Agreement without messages: participants are threads, which meet in the same files as processes do.
#include "laxity/trace/detail/preload/agreement.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "tests/unit/trace/written_trace.hpp"

namespace laxity::trace::preload {
namespace {

constexpr std::int64_t for_ever_ns = 60'000'000'000;

// Each participant arrives after its delay; the results are in their order.
std::vector<Agreement> meet(const Folder& folder, const std::vector<Participant>& participants,
                            const std::vector<int>& delays_us, std::int64_t patience_ns) {
  std::vector<Agreement> results(participants.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    threads.emplace_back([&, i] {
      std::this_thread::sleep_for(std::chrono::microseconds(delays_us[i]));
      results[i] = agree(folder.path().string(), participants[i], patience_ns);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

TEST(Agreement, AllAgreeOnOneJobIfAllTakePart) {
  const Folder folder("laxity_agreement_all");
  const auto results = meet(folder, {{"a", 0, 3}, {"a", 1, 3}, {"a", 2, 3}}, {2000, 0, 500}, for_ever_ns);
  for (const Agreement& result : results) {
    EXPECT_TRUE(result.all);
    EXPECT_EQ(result.job, results[0].job);
  }
  remove_meeting(results[0], 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Agreement, OneThatIsNotTracedMakesNobodyAgreeAndNobodyWaitForEver) {
  const Folder folder("laxity_agreement_some");
  for (const std::uint32_t absent : {0U, 2U}) {
    std::vector<Participant> present;
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      if (rank != absent) present.push_back({std::to_string(absent), rank, 3});
    }
    const auto results = meet(folder, present, {0, 100}, 20'000'000);
    EXPECT_FALSE(results[0].all || results[1].all);
    EXPECT_EQ(results[0].job, results[1].job) << "they are one job nevertheless";
  }
}

TEST(Agreement, OneThatIsNotAbleMakesNobodyAgree) {
  const Folder folder("laxity_agreement_unable");
  const auto results = meet(folder, {{"a", 0, 3}, {"a", 1, 3, false}, {"a", 2, 3}}, {0, 300, 100}, for_ever_ns);
  for (const Agreement& result : results) {
    EXPECT_FALSE(result.all);
    EXPECT_EQ(result.job, results[0].job);
  }
}

TEST(Agreement, ALateProcessNeverDisagreesWithTheOthers) {
  std::mt19937 random(3);
  int agreed = 0;
  for (int round = 0; round < 60; ++round) {
    const Folder folder("laxity_agreement_late");
    std::vector<Participant> participants;
    std::vector<int> delays_us;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      participants.push_back({"a", rank, 4});
      delays_us.push_back(static_cast<int>(random() % 6000));
    }
    const auto results = meet(folder, participants, delays_us, 3'000'000);  // some are too late, some are not
    for (const Agreement& result : results) {
      EXPECT_EQ(result.all, results[0].all) << "round " << round;
      EXPECT_EQ(result.job, results[0].job) << "round " << round;
    }
    agreed += results[0].all ? 1 : 0;
  }
  EXPECT_LT(agreed, 60);
}

TEST(Agreement, JobsOfDifferentKeysAndSizesDoNotMeet) {
  const Folder folder("laxity_agreement_apart");
  const auto results =
      meet(folder, {{"a", 0, 2}, {"a", 1, 2}, {"b", 0, 2}, {"b", 1, 2}, {"a", 0, 1}}, {0, 0, 0, 0, 0}, for_ever_ns);
  std::set<std::uint64_t> jobs;
  for (const Agreement& result : results) {
    EXPECT_TRUE(result.all);
    jobs.insert(result.job);
  }
  EXPECT_EQ(jobs.size(), 3U);
}

TEST(Agreement, ADecisionOfAnEarlierJobIsNotFollowed) {
  const Folder folder("laxity_agreement_stale");
  const std::vector<Participant> participants{{"a", 0, 2}, {"a", 1, 2}};
  EXPECT_TRUE(meet(folder, participants, {0, 0}, for_ever_ns)[0].all);  // and was killed, so the folder remains
  for (const Agreement& result : meet(folder, participants, {0, 0}, for_ever_ns)) EXPECT_FALSE(result.all);
}

TEST(Agreement, AFolderThatCannotBeWrittenIsNoAgreement) {
  const Agreement result = agree("/proc/nowhere", {"a", 0, 2}, for_ever_ns);
  EXPECT_FALSE(result.all);
}

}  // namespace
}  // namespace laxity::trace::preload
