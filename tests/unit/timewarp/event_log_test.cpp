// Event logs: readers return what was written, in whatever order the workers wrote; the first difference of two logs is found;
// damaged logs are refused.
#include "laxity/timewarp/log/event_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/random.hpp"
#include "laxity/timewarp/log/event_log_difference.hpp"
#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"
#include "workloads/phold/phold.hpp"

namespace laxity::timewarp {
namespace {

using What = LogDifference::What;
constexpr LogHeader header{.logical_processes = 100, .whole_times = 1};

class EventLogs : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) / (std::string("laxity_event_log_") + info->name());
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::filesystem::path log(const std::string& name) const { return folder_ / name; }

  // Distinct keys in random order.
  static std::vector<LoggedEvent> some_events(std::size_t count, std::uint64_t seed) {
    SeededRandom random(seed);
    std::vector<LoggedEvent> events;
    for (std::size_t i = 0; i < count; ++i) {
      events.push_back({{random.below(1000), i}, random.bits(), random.bits(), random.below(100), 0});
    }
    return events;
  }

  // Writes each event to the log of one of the workers.
  void write(const std::string& name, const std::vector<LoggedEvent>& events, int workers) const {
    for (int worker = 0; worker < workers; ++worker) {
      EventLogWriter writer(log(name), worker, header);
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (static_cast<int>(i % static_cast<std::size_t>(workers)) == worker) writer.add(events[i]);
      }
      writer.close();
    }
  }

  [[nodiscard]] std::vector<LoggedEvent> read(const std::string& name) const {
    EventLogReader reader(log(name));
    std::vector<LoggedEvent> events;
    while (const auto event = reader.next()) events.push_back(*event);
    return events;
  }

  std::filesystem::path folder_;
};

std::vector<LoggedEvent> in_order(std::vector<LoggedEvent> events) {
  std::ranges::sort(events, [](const auto& a, const auto& b) { return a.key < b.key; });
  return events;
}

TEST_F(EventLogs, AreReadInTheOrderOfKeys) {
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 1000U, 70'000U, 200'000U}) {
    const auto events = some_events(count, count);
    for (const int workers : {1, 3}) {
      const std::string name = std::to_string(count) + "-" + std::to_string(workers);
      write(name, events, workers);
      EXPECT_EQ(read(name), in_order(events)) << name;
    }
  }
}

TEST_F(EventLogs, OfEqualRunsHaveNoDifference) {
  const auto events = some_events(1000, 1);
  write("a", events, 1);
  write("b", events, 4);
  const LogComparison found = compare_event_logs(log("a"), log("b"));
  EXPECT_FALSE(found.difference);
  EXPECT_EQ(found.equal, 1000U);
}

TEST_F(EventLogs, DifferAtTheFirstDifferentEvent) {
  const auto events = in_order(some_events(1000, 2));
  write("a", events, 2);
  const auto expect = [&](const std::string& name, const std::vector<LoggedEvent>& other, What what, std::size_t at) {
    write(name, other, 3);
    const LogComparison found = compare_event_logs(log("a"), log(name));
    ASSERT_TRUE(found.difference) << name;
    EXPECT_EQ(found.difference->what, what) << name;
    EXPECT_EQ(found.equal, at) << name;
    EXPECT_EQ(found.difference->first.key, events[std::min(at, events.size() - 1)].key) << name;
  };
  auto other = events;
  other[700].digest ^= 1;
  other[900].payload ^= 1;
  expect("state", other, What::state, 700);
  other[500].payload ^= 1;
  expect("payload", other, What::payload, 500);
  other[300].receiver ^= 1;
  expect("receiver", other, What::receiver, 300);
  other = events;
  other.erase(other.begin() + 200);
  expect("missing", other, What::only_in_first, 200);
  other = events;
  other.resize(100);
  expect("shorter", other, What::only_in_first, 100);
  write("longer", events, 1);
  const LogComparison swapped = compare_event_logs(log("shorter"), log("longer"));
  EXPECT_EQ(swapped.difference->what, What::only_in_second);
  EXPECT_EQ(swapped.equal, 100U);
}

TEST_F(EventLogs, OfDifferentModelsAreNotCompared) {
  write("a", some_events(10, 1), 1);
  EventLogWriter(log("b"), 0, {.logical_processes = 101, .whole_times = 1}).close();
  EXPECT_THROW(static_cast<void>(compare_event_logs(log("a"), log("b"))), UsageError);
  EventLogWriter(log("a"), 1, {.logical_processes = 101, .whole_times = 1}).close();
  EXPECT_THROW(EventLogReader(log("a")), Error);
}

TEST_F(EventLogs, AreNotOverwritten) {
  write("a", some_events(10, 1), 1);
  EXPECT_THROW(EventLogWriter(log("a"), 0, header), UsageError);
  EXPECT_THROW(EventLogReader(log("none")), UsageError);
  std::filesystem::create_directories(log("empty"));
  EXPECT_THROW(EventLogReader(log("empty")), UsageError);
}

TEST_F(EventLogs, ThatAreDamagedAreReadToTheEndOrRefused) {
  const auto events = some_events(300, 3);
  write("a", events, 1);
  const auto path = log("a") / "worker-0.events";
  std::string whole;
  {
    std::ifstream file(path, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(file), {});
  }
  SeededRandom random(4);
  int refused = 0;
  for (int turn = 0; turn < 200; ++turn) {
    std::string damaged = whole;
    if (turn % 2 == 0) damaged.resize(random.below(static_cast<std::uint32_t>(whole.size())));
    for (int byte = 0; turn % 2 == 1 && byte < 3; ++byte) {
      damaged[random.below(static_cast<std::uint32_t>(whole.size()))] = static_cast<char>(random.below(256));
    }
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(damaged.data(), static_cast<long>(damaged.size()));
    try {
      EXPECT_LE(read("a").size(), events.size());
    } catch (const Error& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find("worker-0.events, byte "), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, 100) << "every truncated file";
}

TEST_F(EventLogs, OfAllEnginesAreTheSame) {
  phold::Options options;
  options.logical_processes = 60;
  options.events_per_lp = 5;
  options.receivers = phold::Receivers::remote;
  options.remote = 0.5;
  const Simulation<phold::Phold<phold::Shape::continuous>> simulation{
      phold::Phold<phold::Shape::continuous>(options), {60, 300.0}, 7};
  const auto sequential = run_sequential(simulation, {.event_log = log("sequential").string()});
  RunOptions team{.threads = 2};
  team.worker.event_log = log("threads").string();
  static_cast<void>(run(simulation, team));
  team.threads = 1;
  team.processes = 2;
  team.worker.event_log = log("processes").string();
  static_cast<void>(run(simulation, team));
  ReplayOptions simulated{.workers = 3};
  simulated.worker.event_log = log("simulated").string();
  const auto result = run_replayed(simulation, simulated);
  EXPECT_EQ(result.digest, sequential.digest) << "a log contains digests";
  for (const char* other : {"threads", "processes", "simulated"}) {
    const LogComparison found = compare_event_logs(log("sequential"), log(other));
    EXPECT_FALSE(found.difference) << other;
    EXPECT_EQ(found.equal, sequential.total().committed) << other;
  }
  auto another = simulation;
  another.bounds.end_time = 299.0;
  static_cast<void>(run_sequential(another, {.event_log = log("shorter").string()}));
  const LogComparison found = compare_event_logs(log("sequential"), log("shorter"));
  ASSERT_TRUE(found.difference) << "an event at the end is missing, or was never sent";
  EXPECT_GT(found.equal, sequential.total().committed / 2);
}

TEST(TimesOfEventLogs, AreWrittenAsNumbers) {
  EXPECT_EQ(time_text({.whole_times = 0}, {TimeBits<double>::of(12.25), 0}), "12.25");
  EXPECT_EQ(time_text({.whole_times = 1}, {TimeBits<std::int64_t>::of(12), 0}), "12");
}

}  // namespace
}  // namespace laxity::timewarp
