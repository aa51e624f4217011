// Compares the pending-event sets with each other and with std::priority_queue: the time of a hold, one pop and one push, in
// the steady state. See README.md.
//
// usage: pending_set_benchmark [--rounds N] [--csv FILE] [--smoke]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "benchmarks/rounds.hpp"
#include "laxity/clock/clock.hpp"
#include "laxity/random.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"
#include "laxity/timewarp/pending/comparison/three_tier_heap.hpp"
#include "laxity/timewarp/pending/comparison/two_tier_ladder.hpp"
#include "laxity/timewarp/pending/heap_queue.hpp"

namespace laxity::timewarp {
namespace {

struct Shape {
  const char* name;
  std::uint32_t processes;
  std::uint32_t events_per_process;
  bool batch;  // integer times and 99 of 100 increments 1; else doubles and exponential increments of mean 1

  [[nodiscard]] std::uint32_t pending() const noexcept { return processes * events_per_process; }
};

constexpr Shape shapes[] = {
    {"continuous, 1000 pending", 1000, 1, false},
    {"continuous, 200000 pending", 10'000, 20, false},
    {"batch, 200000 pending", 10'000, 20, true},
};

// The reference of all comparisons. The top of a std::priority_queue is its greatest element.
class StandardQueue {
 public:
  [[nodiscard]] const PendingEvent* top() const { return queue_.empty() ? nullptr : &queue_.top(); }
  void push(const PendingEvent& event) { queue_.push(event); }
  void pop() { queue_.pop(); }
  [[nodiscard]] std::size_t size() const { return queue_.size(); }

 private:
  struct After {
    bool operator()(const PendingEvent& a, const PendingEvent& b) const noexcept { return before(b, a); }
  };
  std::priority_queue<PendingEvent, std::vector<PendingEvent>, After> queue_;
};
static_assert(PendingSet<StandardQueue>);

// Increments and receivers are drawn in advance, so that a hold only reads them.
class Draws {
 public:
  explicit Draws(const Shape& shape) : batch_(shape.batch) {
    SeededRandom random(1);
    for (Draw& draw : draws_) {
      draw.receiver = random.below(shape.processes);
      draw.increment = batch_ ? (random.below(100) == 0 ? 2. + random.below(10) : 1.) : -std::log1p(-random.unit());
    }
  }

  // The event that handling `now` sends.
  [[nodiscard]] PendingEvent next(std::uint64_t now, LpId sender) noexcept {
    const Draw& draw = draws_[sent_ % draws_.size()];
    const std::uint64_t time = batch_ ? now + static_cast<std::uint64_t>(draw.increment)
                                      : TimeBits<double>::of(TimeBits<double>::time(now) + draw.increment);
    ++sent_;
    return {{time, layout_.tie(0, sender, sent_)}, draw.receiver, static_cast<std::uint32_t>(sent_)};
  }

 private:
  struct Draw {
    double increment;
    LpId receiver;
  };
  bool batch_;
  TieLayout layout_{10'000};
  std::uint64_t sent_ = 0;
  std::vector<Draw> draws_ = std::vector<Draw>(100'003);  // prime: no period falls in with the number of events
};

class Candidate {
 public:
  explicit Candidate(std::string name) : name_(std::move(name)) {}
  virtual ~Candidate() = default;
  virtual double hold(std::uint32_t holds) = 0;  // ns each

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

// A set in its steady state, which continues from round to round.
template <class Set>
class Holding final : public Candidate {
 public:
  Holding(std::string name, const Shape& shape) : Candidate(std::move(name)), draws_(shape) {
    for (std::uint32_t i = 0; i < shape.pending(); ++i) set_.push(draws_.next(0, i % shape.processes));
    (void)hold(3 * shape.pending());
  }

  double hold(std::uint32_t holds) override {
    const SteadyClock clock;
    const std::int64_t begin_ns = clock.now_ns();
    for (std::uint32_t i = 0; i < holds; ++i) {
      const PendingEvent event = *set_.top();
      set_.pop();
      set_.push(draws_.next(event.key.time, event.receiver));
    }
    return static_cast<double>(clock.now_ns() - begin_ns) / holds;
  }

 private:
  Set set_;
  Draws draws_;
};

void compare(const Shape& shape, bench::CommandLine& line) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  candidates.push_back(std::make_unique<Holding<StandardQueue>>("std::priority_queue", shape));
  candidates.push_back(std::make_unique<Holding<HeapQueue<2>>>("2-ary heap", shape));
  candidates.push_back(std::make_unique<Holding<HeapQueue<4>>>("4-ary heap", shape));
  candidates.push_back(std::make_unique<Holding<ThreeTierHeap>>("three-tier heap", shape));
  candidates.push_back(std::make_unique<Holding<LadderQueue>>("ladder queue", shape));
  candidates.push_back(std::make_unique<Holding<TwoTierLadder>>("two-tier ladder", shape));
  candidates.push_back(std::make_unique<Holding<BucketQueue>>("bucket queue", shape));
  const std::uint32_t holds = line.smoke ? 20'000 : 1'000'000;
  const auto ns = bench::measure_in_rounds(line.rounds, candidates.size(),
                                           [&](std::size_t set) { return candidates[set]->hold(holds); });
  std::printf("\n%s\n%-20s %12s %22s\n", shape.name, "", "ns per hold", "/ std::priority_queue");
  for (std::size_t set = 0; set < candidates.size(); ++set) {
    const std::string& name = candidates[set]->name();
    std::printf("%-20s %12.1f %22.2f\n", name.c_str(), median(ns[set]), median(bench::ratios(ns[set], ns[0])));
    for (std::size_t round = 0; line.csv.is_open() && round < ns[set].size(); ++round)
      line.csv << '"' << shape.name << "\",\"" << name << "\"," << round << ',' << ns[set][round] << '\n';
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace laxity::timewarp

int main(int argc, char** argv) {
  auto line = laxity::bench::read_command_line(argc, argv, 9, "shape,set,round,ns_per_hold");
  for (const auto& shape : laxity::timewarp::shapes) laxity::timewarp::compare(shape, line);
}
