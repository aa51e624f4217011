// The log of messages against replayed runs in which every frame's times and fate are known.
#include "laxity/mesh/message_log.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/mesh/replay.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace laxity {
namespace {

constexpr std::int64_t period_ns = 1000;

// Two workers with a node each; worker 0 updates at the multiples of the period, worker 1 at those of `slowness` periods.
class LoggedPair {
 public:
  LoggedPair(std::size_t depth, double slowness, std::size_t frames, const Faults& faults = {})
      : frames_(frames),
        mesh_(topology_, partition_, {{{.send_depth = depth}}}),
        run_({.workers = 2, .period_ns = period_ns, .jitter = 0, .slowness = {1, slowness}, .faults = faults}) {
    for (const std::uint32_t worker : {0U, 1U}) {
      connectors_.push_back(std::make_unique<LoggingConnector>(
          run_.connector(worker), [this](const LinkKey& key) { return log(key); },
          [this] { return run_.clock().now_ns(); }));
      parts_.push_back(std::make_unique<MeshPart<StateLayer<std::uint64_t>>>(mesh_.part(*connectors_.back())));
    }
  }

  void run_to(std::int64_t multiple) {
    run_.run_until(multiple * period_ns + 1, [this](std::uint32_t worker) {
      parts_[worker]->pull();
      for (auto node : parts_[worker]->nodes()) {
        for (const auto input : node.inputs()) heard_[worker].push_back(input.get());
        node.put(run_.updates(worker) + 1);
      }
      parts_[worker]->flush();
    });
  }
  [[nodiscard]] std::vector<LoggedFrame> sent_by(std::uint32_t worker) {
    const LinkKey key{0, worker, 1 - worker, 0};
    return log(key).collect(key);
  }
  /// What a worker heard in each of its updates.
  [[nodiscard]] const std::vector<std::uint64_t>& heard_by(std::uint32_t worker) { return heard_[worker]; }

 private:
  LinkLog log(const LinkKey& key) {
    auto& memory = memory_[key];
    memory.resize(LinkLog::bytes_needed(frames_) / 8);
    return {reinterpret_cast<std::byte*>(memory.data()), frames_};
  }

  std::size_t frames_;
  Topology topology_ = topologies::dyad(2);
  Partition partition_ = partitions::one_each(topology_);
  Mesh<StateLayer<std::uint64_t>> mesh_;
  ReplayedRun run_;
  std::map<LinkKey, std::vector<std::uint64_t>> memory_;
  std::vector<std::unique_ptr<LoggingConnector>> connectors_;
  std::vector<std::unique_ptr<MeshPart<StateLayer<std::uint64_t>>>> parts_;
  std::map<std::uint32_t, std::vector<std::uint64_t>> heard_;
};

TEST(MessageLog, HasTheTimesOfEveryFrameThatTravelsThreePeriods) {
  LoggedPair pair(8, 1, 100, {.delay_ns = 3 * period_ns});
  pair.run_to(50);
  const std::vector<LoggedFrame> frames = pair.sent_by(0);
  ASSERT_EQ(frames.size(), 50U);
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(frames[i].number, i);
    EXPECT_EQ(frames[i].sent_ns, static_cast<std::int64_t>(i + 1) * period_ns);
    EXPECT_EQ(frames[i].refused_before, 0U);
    EXPECT_EQ(frames[i].fate, i < 47 ? FrameFate::shown : FrameFate::unseen);
    EXPECT_EQ(frames[i].seen_ns - frames[i].sent_ns, i < 47 ? 3 * period_ns : 0);
  }
}

// Two of ten frames have room; of those the newer one is shown.
TEST(MessageLog, TellsFramesThatWereShownFromThoseOvertakenAndCountsTheRefused) {
  LoggedPair pair(2, 10, 100);
  pair.run_to(100);
  const std::vector<LoggedFrame> frames = pair.sent_by(0);
  ASSERT_EQ(frames.size(), 20U);
  for (std::uint64_t i = 0; i < frames.size(); ++i) {
    const bool first_of_two = i % 2 == 0;
    EXPECT_EQ(frames[i].fate, first_of_two ? FrameFate::overtaken : FrameFate::shown);
    EXPECT_EQ(frames[i].refused_before, first_of_two && i > 0 ? 8U : 0U);
    EXPECT_EQ(frames[i].seen_ns % (10 * period_ns), 0);
  }
}

TEST(MessageLog, KeepsTheLastFramesAndStaysThatLarge) {
  LoggedPair pair(8, 1, 16);
  pair.run_to(1000);
  const std::vector<LoggedFrame> frames = pair.sent_by(1);
  ASSERT_EQ(frames.size(), 16U);
  EXPECT_EQ(frames.front().number, 1000U - 16);
  EXPECT_EQ(frames.back().number, 999U);
}

TEST(MessageLog, OfLostFramesNobodyEverShowsAny) {
  LoggedPair pair(4, 1, 1000, {.loss = 0.5});
  pair.run_to(1000);
  int shown = 0, overtaken = 0;
  for (const LoggedFrame& frame : pair.sent_by(0)) {
    shown += frame.fate == FrameFate::shown;
    overtaken += frame.fate == FrameFate::overtaken;
  }
  EXPECT_NEAR(shown, 500, 60);
  EXPECT_GE(shown + overtaken, 980) << "what was lost is overtaken by the next that comes";
}

// Each host of a link has the entries of its own end.
TEST(LinkLogs, OfTwoHostsAreOneWhenTheyArePacked) {
  constexpr LinkKey there{0, 0, 1, 0}, back{0, 1, 0, 0};
  LinkLogs of_first(4), of_second(4);
  of_first.at(there).add_sent(0, 1'000, 2);
  of_second.at(there).add_seen(0, 1'700, FrameFate::shown);
  of_second.at(back).add_sent(0, 900, 0);
  of_first.add(of_second.packed());
  const std::vector<LoggedFrame> frames = of_first.collect();
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].key, there);
  EXPECT_EQ(frames[0].sent_ns, 100) << "since the first frame of any link";
  EXPECT_EQ(frames[0].seen_ns, 800);
  EXPECT_EQ(frames[0].refused_before, 2U);
  EXPECT_EQ(frames[0].fate, FrameFate::shown);
  EXPECT_EQ(frames[1].key, back);
  EXPECT_EQ(frames[1].sent_ns, 0);
  EXPECT_EQ(frames[1].fate, FrameFate::unseen);
}

TEST(MessageLog, ChangesNothingThatIsHeard) {
  LoggedPair logged(2, 7, 8), hardly(2, 7, 1);
  logged.run_to(500);
  hardly.run_to(500);
  EXPECT_EQ(logged.heard_by(1), hardly.heard_by(1));
  for (std::size_t update = 0; update < logged.heard_by(1).size(); ++update)
    EXPECT_EQ(logged.heard_by(1)[update], 7 * update + 2) << "the second frame after the pull before";
}

}  // namespace
}  // namespace laxity
