// Traces of simulated programs whose processes are late for known reasons: the attribution finds them.
//
// A program is a loop over one to three collectives. Its calls are simulated under LogGPS with a random algorithm and
// message size. Before a call one process may always compute longer than the others (work), one may compute longer this
// time (noise), each up to 1 ms, and all vary by a few microseconds. The truth is in the simulation: a process waited
// for as long as the same call takes it longer than when all arrive together, and the causes are those that were
// injected.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/random.hpp"
#include "laxity/schedule/collective_schedule.hpp"
#include "laxity/schedule/machine_file.hpp"
#include "laxity/schedule/simulation.hpp"
#include "laxity/trace/analysis/attribution.hpp"
#include "tests/effort.hpp"
#include "tests/unit/trace/written_trace.hpp"

namespace laxity::trace {
namespace {

constexpr std::size_t iterations = 30;
constexpr double max_delay_ns = 1e6;
constexpr std::size_t transfer = cause_names.size();  // a class besides the causes

struct Site {
  Kind kind = Kind::barrier;
  std::uint64_t bytes = 0;
  schedule::Schedule schedule;
  std::vector<double> punctual_ns;  // time of each process in the call if all arrive together
  std::vector<double> work_ns;      // that each process computes before every call
};

// What happened in a call.
struct Truth {
  double inside_ns = 0, waiting_ns = 0;
  std::array<double, cause_names.size() + 1> by_class{};  // the transfer last

  [[nodiscard]] std::string_view largest() const {
    const auto most = std::max_element(by_class.begin(), by_class.end()) - by_class.begin();
    return static_cast<std::size_t>(most) == transfer ? "transfer" : cause_names[static_cast<std::size_t>(most)];
  }
};

class SimulatedProgram {
 public:
  explicit SimulatedProgram(std::uint64_t seed) : random_(seed), ranks_(2 + random_.below(15)) {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      traces_.push_back(process(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ranks_)));
      traces_[rank].sites.clear();
    }
    exit_ns_.assign(ranks_, 1000);
    const std::size_t sites = 1 + random_.below(3);
    for (std::size_t at = 0; at < sites; ++at) add_site();
    for (std::size_t i = 0; i < iterations * sites; ++i) run(i % sites);
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      traces_[rank].end = End{.at_ns = exit_ns_[rank], .calls = iterations * sites, .recorded = iterations * sites};
  }

  [[nodiscard]] std::vector<ProcessTrace>& traces() noexcept { return traces_; }
  [[nodiscard]] const std::vector<Truth>& truth() const noexcept { return truth_; }
  [[nodiscard]] double uniform(double below) { return below * random_.unit(); }

 private:
  void add_site() {
    constexpr std::array collectives{collective::Collective::allgather, collective::Collective::allreduce,
                                     collective::Collective::alltoall,  collective::Collective::barrier,
                                     collective::Collective::bcast,     collective::Collective::gather,
                                     collective::Collective::reduce,    collective::Collective::scatter};
    constexpr std::array<std::uint64_t, 4> sizes{8, 1024, 65536, 1048576};
    const collective::Collective collective = collectives[random_.below(collectives.size())];
    const auto algorithms = schedule::algorithms(collective);
    const std::string algorithm = algorithms[random_.below(static_cast<std::uint32_t>(algorithms.size()))].name;
    const std::uint64_t bytes = collective == collective::Collective::barrier ? 0 : sizes[random_.below(sizes.size())];
    Site site{.kind = *kind_named(name_of(collective)),
              .bytes = bytes,
              .schedule = schedule::make_schedule(
                  {.collective = collective, .ranks = static_cast<std::uint32_t>(ranks_), .bytes = bytes}, algorithm),
              .punctual_ns = {},
              .work_ns = std::vector<double>(ranks_, 3e5)};
    for (const schedule::Picoseconds exit : simulate(site.schedule, machine_).exit)
      site.punctual_ns.push_back(static_cast<double>(exit) * 1e-3);
    if (random_.below(2) == 0) site.work_ns[random_.below(static_cast<std::uint32_t>(ranks_))] += uniform(max_delay_ns);
    const CallSite call_site{.object = "/bin/app", .offset = 0x10 * (sites_.size() + 1), .symbol = "main"};
    for (ProcessTrace& trace : traces_) trace.sites.push_back(call_site);
    sites_.push_back(std::move(site));
  }

  void run(std::size_t at) {
    const Site& site = sites_[at];
    std::vector<double> noise_ns(ranks_);
    for (double& noise : noise_ns) noise = uniform(4e3);
    if (random_.below(3) == 0) noise_ns[random_.below(static_cast<std::uint32_t>(ranks_))] += uniform(max_delay_ns);
    std::vector<std::int64_t> arrival_ns;
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      arrival_ns.push_back(exit_ns_[rank] + std::llround(site.work_ns[rank] + noise_ns[rank]));
    const std::int64_t first_ns = *std::ranges::min_element(arrival_ns);
    std::vector<double> arrival_s;
    for (const std::int64_t arrival : arrival_ns) arrival_s.push_back(static_cast<double>(arrival - first_ns) * 1e-9);
    const auto simulated = simulate(site.schedule, machine_, {.arrival_s = arrival_s});
    std::vector<std::int64_t> exit_ns;
    for (const schedule::Picoseconds exit : simulated.exit) exit_ns.push_back(first_ns + exit / 1000);
    truth_.push_back(truth_of(site, noise_ns, arrival_ns, exit_ns));
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      Call call = blocking(site.kind, truth_.size() - 1, arrival_ns[rank], exit_ns[rank]);
      call.site = static_cast<std::uint32_t>(at);
      const bool rooted = site.kind == Kind::bcast || site.kind == Kind::gather || site.kind == Kind::reduce ||
                          site.kind == Kind::scatter;
      if (rooted) call.root = 0;
      call.bytes_sent = call.bytes_received = site.bytes;
      traces_[rank].calls.push_back(call);
    }
    exit_ns_ = exit_ns;
  }

  // The causes of what a process waited for are what made the last one that it needs later than itself.
  Truth truth_of(const Site& site, const std::vector<double>& noise_ns, const std::vector<std::int64_t>& arrival_ns,
                 const std::vector<std::int64_t>& exit_ns) const {
    Truth truth;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const auto inside_ns = static_cast<double>(exit_ns[rank] - arrival_ns[rank]);
      const double waiting_ns = std::max(0.0, inside_ns - site.punctual_ns[rank]);
      truth.inside_ns += inside_ns;
      truth.waiting_ns += waiting_ns;
      truth.by_class[transfer] += inside_ns - waiting_ns;
      const bool from_root = site.kind == Kind::bcast || site.kind == Kind::scatter;
      std::size_t last = rank;  // of those that arrived before it left
      for (std::size_t other = 0; other < ranks_; ++other)
        if (arrival_ns[other] > arrival_ns[last] && arrival_ns[other] <= exit_ns[rank]) last = other;
      const bool for_root = static_cast<double>(arrival_ns[0] - arrival_ns[rank]) * 2 >= waiting_ns;
      const std::size_t late = from_root && rank != 0 && for_root ? 0 : last;
      const std::array<double, 3> parts{std::max(0.0, site.work_ns[late] - site.work_ns[rank]),
                                        std::max(0.0, noise_ns[late] - noise_ns[rank]),
                                        std::max(0.0, static_cast<double>(exit_ns_[late] - exit_ns_[rank]))};
      const double sum = parts[0] + parts[1] + parts[2];
      if (sum <= 0) {
        truth.by_class[static_cast<std::size_t>(Cause::unknown)] += waiting_ns;
        continue;
      }
      for (std::size_t part = 0; part < parts.size(); ++part) truth.by_class[part] += waiting_ns * parts[part] / sum;
    }
    return truth;
  }

  SeededRandom random_;
  std::size_t ranks_;
  schedule::Machine machine_ = schedule::machine_named("infiniband");
  std::vector<Site> sites_;
  std::vector<ProcessTrace> traces_;
  std::vector<std::int64_t> exit_ns_;
  std::vector<Truth> truth_;
};

// Writes, reads and attributes a trace.
Attribution attributed(const std::vector<ProcessTrace>& traces, const VisitAttributed& also = {}) {
  const Folder folder("laxity_attributed_");
  for (std::size_t i = 0; i < traces.size(); ++i) write(traces[i], folder / (std::to_string(i) + ".lxtrace").c_str());
  return attribute(read_jobs(folder.path()).at(0), also);
}

TEST(Attribution, ClassesAndWaitingAreThoseThatWereInjected) {
  double calls = 0, right = 0, waiting_ns = 0, error_ns = 0;
  for (std::uint64_t seed = 0; seed < std::uint64_t{50} * effort(); ++seed) {
    SimulatedProgram program(seed);
    const Attribution attribution =
        attributed(program.traces(), [&](const auto& call, const auto& figures, const auto& found) {
          const Truth& truth = program.truth()[call.sequence];
          ASSERT_NEAR(found.time.transfer_ns + found.time.waiting_ns + found.time.unknown_ns,
                      static_cast<double>(figures.inside_ns), 1);
          ++calls;
          right += found.largest() == truth.largest() ? 1 : 0;
          waiting_ns += truth.waiting_ns;
          error_ns += std::abs(found.time.waiting_ns - truth.waiting_ns);
        });
    double by_processes_ns = 0;
    for (const Lateness& late : attribution.late) by_processes_ns += late.direct_ns();
    ASSERT_NEAR(by_processes_ns, attribution.time.waiting_ns, 1);
  }
  EXPECT_GE(right, 0.95 * calls);
  EXPECT_LE(error_ns, 0.10 * waiting_ns);
  RecordProperty("right", std::to_string(right / calls));
  RecordProperty("error", std::to_string(error_ns / waiting_ns));
}

// The same trace with the clock of each process wrong by as much as its error allows.
TEST(Attribution, TheRangeOfTheWaitingHasWhatExactClocksWouldShow) {
  constexpr double clock_error_ns = 5000;
  const std::uint64_t runs = std::uint64_t{50} * effort();
  std::uint64_t inside = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    SimulatedProgram program(seed);
    const DividedTime exact = attributed(program.traces()).time;
    for (ProcessTrace& trace : program.traces()) {
      const auto error_ns =
          trace.process.rank == 0 ? 0 : std::llround(2 * program.uniform(clock_error_ns) - clock_error_ns);
      trace.process.clock = trace.process.rank + 1;
      trace.clock = {{.at_ns = trace.process.start_ns,
                      .offset_ns = static_cast<double>(error_ns),
                      .synchronized = true,
                      .error_ns = trace.process.rank == 0 ? 0 : clock_error_ns}};
    }
    const DividedTime found = attributed(program.traces()).time;
    ASSERT_LE(found.waiting_low_ns, found.waiting_ns);
    ASSERT_LE(found.waiting_ns, found.waiting_high_ns);
    inside += found.waiting_low_ns <= exact.waiting_ns && exact.waiting_ns <= found.waiting_high_ns ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(inside), 0.95 * static_cast<double>(runs));
  RecordProperty("inside", std::to_string(inside));
}

}  // namespace
}  // namespace laxity::trace
