// Kills a process of a team 220 times (more with LAXITY_EFFORT), at random times after its start, and checks the
// others.
//
// Every worker sends numbered messages to the next one in a ring of workers, over rings in the arena, and counts them
// in the counter table. After a kill the others must continue (or end, with LossPolicy::end), and their counts must be
// exact: between survivors everything accepted is received; of the messages of a killed worker at most the one is
// missing that it was putting. A failure prints the seed of its run.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "laxity/launch/pacing.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/random.hpp"
#include "laxity/transport/shared_memory.hpp"
#include "laxity/transport/spsc_ring.hpp"
#include "tests/effort.hpp"

namespace laxity {
namespace {

constexpr std::size_t depth = 8;
constexpr std::uint64_t kills_per_case = 40;
constexpr std::uint64_t kills_of_random_teams = 20;
constexpr std::uint64_t enough_updates = 300;  // after the kill, by every survivor

struct Case {
  std::string name;
  int processes;
  int threads;
  PacingMode mode;
  LossPolicy on_loss;
};

// Results of the workers, in the arena.
struct Findings {
  std::atomic<int> wrong_messages{0};  // torn, lost, duplicated or reordered
  std::atomic<int> clean_ends{0};
};

LinkRow& link_row(const CounterTable& table, std::uint32_t from, std::uint32_t to) {
  return table.link({0, from, to, 0}, NeighborKind::process, 1);
}

class Correspondent {
 public:
  explicit Correspondent(Worker& worker)
      : id_(static_cast<std::uint32_t>(worker.id())),
        next_((id_ + 1) % static_cast<std::uint32_t>(worker.size())),
        last_((id_ + static_cast<std::uint32_t>(worker.size()) - 1) % static_cast<std::uint32_t>(worker.size())),
        sender_(shared_sender<SpscRing>(worker.arena(), {"ring", id_, next_}, {depth, sizeof(Message)})),
        receiver_(shared_receiver<SpscRing>(worker.arena(), {"ring", last_, id_}, {depth, sizeof(Message)})),
        sent_(link_row(worker.counter_table(), id_, next_).inlet),
        received_(link_row(worker.counter_table(), last_, id_).outlet) {}

  void put() {
    sent_.attempted.add();
    std::byte* const room = sender_.try_claim();
    if (room == nullptr) return sent_.refused.add();
    const Message message{number_, ~number_};
    ++number_;
    std::memcpy(room, &message, sizeof message);
    sender_.publish(sizeof message);
  }

  // Receives at most one message; false if there was none. Counts errors in `wrong`.
  bool pull(std::atomic<int>& wrong) {
    const std::size_t moved = receiver_.try_step(1);
    received_.count_pull(moved);
    if (moved == 0) return false;
    Message message;
    std::memcpy(&message, receiver_.frame().data(), sizeof message);
    wrong += message.number != expected_ || message.check != ~message.number;
    expected_ = message.number + 1;
    return true;
  }

 private:
  struct Message {
    std::uint64_t number;
    std::uint64_t check;
  };

  std::uint32_t id_, next_, last_;
  SpscRing::Sender sender_;
  SpscRing::Receiver receiver_;
  InletCounters& sent_;
  OutletCounters& received_;
  std::uint64_t number_ = 0;
  std::uint64_t expected_ = 0;
};

void work(Worker& worker, PacingMode mode, Findings& findings) {
  Correspondent correspondent(worker);
  bool whole = true;
  {
    Pacer pacer({.mode = mode, .rolling_ns = 200'000, .fixed_ns = 300'000}, worker.pacing_barrier());
    while (whole && !worker.stop_requested()) {
      correspondent.put();
      (void)correspondent.pull(findings.wrong_messages);
      worker.update_done();
      whole = pacer.after_update();
    }
  }
  // All survivors have sent their last message, so messages in flight can be counted.
  whole = whole && worker.barrier();
  while (correspondent.pull(findings.wrong_messages)) {
  }
  ++findings.clean_ends;
}

// The supervisor: kills once, at a random time, and requests a stop after enough updates of the survivors.
class Killer {
 public:
  Killer(Team& team, const Case& kase, std::uint64_t seed)
      : team_(team), threads_(kase.threads), generator_(seed), victim_(random(0, kase.processes - 1)) {}

  [[nodiscard]] int victim() const noexcept { return victim_; }

  void operator()() {
    const CounterTable table = team_.counter_table();
    if (!killed_) {
      WorkerCounters& row = table.worker(victim_ * threads_);
      while (row.pid.load() == 0) std::this_thread::yield();  // no process to kill yet
      std::this_thread::sleep_for(std::chrono::microseconds(random(0, 2'000)));
      kill(row.pid.load(), SIGKILL);
      killed_ = true;
    }
    if (!goal_) {  // from the first turn after the kill, when the set-up of the survivors is done
      if (team_.all_are_updating()) goal_ = updates();
      return;
    }
    const auto now = updates();
    for (std::size_t worker = 0; worker < now.size(); ++worker)
      if (static_cast<int>(worker) / threads_ != victim_ && now[worker] < (*goal_)[worker] + enough_updates) return;
    team_.request_stop();
  }

 private:
  int random(int least, int most) { return std::uniform_int_distribution<int>(least, most)(generator_); }

  std::vector<std::uint64_t> updates() const {
    std::vector<std::uint64_t> result;
    for (int worker = 0; worker < team_.size(); ++worker)
      result.push_back(team_.counter_table().worker(worker).updates.read());
    return result;
  }

  Team& team_;
  int threads_;
  std::mt19937_64 generator_;
  int victim_;
  bool killed_ = false;
  std::optional<std::vector<std::uint64_t>> goal_;
};

void check_reports(const Team& team, const TeamReport& report, const Killer& killer) {
  for (const WorkerEnd& end : report.workers) {
    const bool is_victim = end.place.process == killer.victim();
    EXPECT_EQ(end.state, is_victim ? WorkerState::killed : WorkerState::finished)
        << end.place.name() << ' ' << end.what;
    EXPECT_EQ(end.what, is_victim ? "signal 9, Killed" : "") << end.place.name();
  }
  EXPECT_FALSE(report.interrupted);
  EXPECT_TRUE(team.stop_requested());
}

void check_accounts(const Team& team, const Killer& killer, int threads) {
  const auto size = static_cast<std::uint32_t>(team.size());
  for (std::uint32_t from = 0; from < size; ++from) {
    const std::uint32_t to = (from + 1) % size;
    const auto is_victim = [&](std::uint32_t worker) { return static_cast<int>(worker) / threads == killer.victim(); };
    LinkRow& row = link_row(team.counter_table(), from, to);
    const std::uint64_t accepted = row.inlet.attempted.read() - row.inlet.refused.read();
    const std::uint64_t received = row.outlet.received();
    // At most a ring of messages is in flight; a worker may die between a message and its counter, or in a put.
    const std::uint64_t unaccounted = is_victim(to) ? depth + 2 : is_victim(from) ? 1 : 0;
    EXPECT_LE(received, accepted) << from << " to " << to;
    EXPECT_LE(accepted, received + unaccounted) << from << " to " << to;
  }
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

void kill_one(const Case& kase, std::uint64_t seed) {
  SCOPED_TRACE(kase.name + ", seed " + std::to_string(seed));
  Team team({.threads = kase.threads,
             .processes = kase.processes,
             .arena_bytes = 1 << 20,
             .max_blocks = 64,
             .max_links = 64,
             .on_loss = kase.on_loss,
             .tick = std::chrono::milliseconds(1)});
  auto& findings = team.arena().object<Findings>({"findings"});
  Killer killer(team, kase, seed);
  const TeamReport report = team.run([&](Worker& worker) { work(worker, kase.mode, findings); }, std::ref(killer));

  check_reports(team, report, killer);
  EXPECT_EQ(findings.wrong_messages.load(), 0);
  EXPECT_EQ(findings.clean_ends.load(), (kase.processes - 1) * kase.threads);
  if (kase.on_loss == LossPolicy::go_on) check_accounts(team, killer, kase.threads);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
}

/// Calls kill(seed) until a check fails or enough kills were done, and checks what is left behind in this process.
template <class Kill>
void campaign(std::uint64_t kills, Kill&& kill) {
  const std::size_t files_before = open_files();
  for (std::uint64_t seed = 1; seed <= kills * effort() && !testing::Test::HasFailure(); ++seed) kill(seed);
  EXPECT_EQ(open_files(), files_before);
  for (const NamedSegment& segment : list_named_segments()) EXPECT_NE(segment.owner, getpid()) << segment.name;
}

class KillCampaign : public testing::TestWithParam<Case> {};

TEST_P(KillCampaign, TheOthersCarryOnWithRightAccountsAndNothingIsLeft) {
  campaign(kills_per_case, [](std::uint64_t seed) { kill_one(GetParam(), seed); });
}

// Threads, processes, mode and LossPolicy are random too.
TEST(KillCampaignOfRandomTeams, TheOthersCarryOnWithRightAccountsAndNothingIsLeft) {
  campaign(kills_of_random_teams, [](std::uint64_t seed) {
    SeededRandom random(seed);
    Case kase{.name = {}, .processes = 2 + static_cast<int>(random.below(3)), .threads = 1, .mode = {}, .on_loss = {}};
    kase.threads += static_cast<int>(random.below(3));
    kase.mode = all_modes[random.below(all_modes.size())];
    kase.on_loss = random.below(2) == 0 ? LossPolicy::end : LossPolicy::go_on;
    kase.name = std::to_string(kase.processes) + "p" + std::to_string(kase.threads) + "t " +
                std::string(name_of(kase.mode)) + (kase.on_loss == LossPolicy::end ? " end" : " go on");
    kill_one(kase, seed);
  });
}

INSTANTIATE_TEST_SUITE_P(Modes, KillCampaign,
                         testing::Values(Case{"none_3p", 3, 1, PacingMode::none, LossPolicy::go_on},
                                         Case{"none_2p2t", 2, 2, PacingMode::none, LossPolicy::go_on},
                                         Case{"every_update_3p", 3, 1, PacingMode::every_update, LossPolicy::go_on},
                                         Case{"every_update_2p_end", 2, 1, PacingMode::every_update, LossPolicy::end},
                                         Case{"rolling_2p2t_end", 2, 2, PacingMode::rolling, LossPolicy::end}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace laxity
