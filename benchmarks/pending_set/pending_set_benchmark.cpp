// The pending-event sets beside each other and beside std::priority_queue: time of a hold, that is of one pop and one
// push, in the steady state. See README.md.
//
// usage: pending_set_benchmark [--rounds N] [--csv FILE] [--smoke]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/random.hpp"
#include "laxity/timewarp/pending/bucket_queue.hpp"
#include "laxity/timewarp/pending/comparison/ladder_queue.hpp"
#include "laxity/timewarp/pending/comparison/three_tier_heap.hpp"
#include "laxity/timewarp/pending/comparison/two_tier_ladder.hpp"
#include "laxity/timewarp/pending/heap_queue.hpp"

namespace laxity::timewarp {
namespace {

struct Options {
  int rounds = 9;
  std::uint32_t holds = 1'000'000;
  std::ofstream csv;
};

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

// What every comparison begins with; std::priority_queue has its greatest on top.
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

// Increments and receivers are drawn before, so that a hold has none of their cost but the reading.
class Draws {
 public:
  explicit Draws(const Shape& shape) : batch_(shape.batch) {
    SeededRandom random(1);
    for (Draw& draw : draws_) {
      draw.receiver = random.below(shape.processes);
      draw.increment = batch_ ? (random.below(100) == 0 ? 2. + random.below(10) : 1.) : -std::log1p(-random.unit());
    }
  }

  // The event that is sent when `now` is handled.
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
  std::vector<double> ns;
  std::vector<double> ratios;  // to the first candidate's of the round

 private:
  std::string name_;
};

// A set in its steady state, which goes on from round to round.
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

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void compare(const Shape& shape, Options& options) {
  std::vector<std::unique_ptr<Candidate>> candidates;
  candidates.push_back(std::make_unique<Holding<StandardQueue>>("std::priority_queue", shape));
  candidates.push_back(std::make_unique<Holding<HeapQueue<2>>>("2-ary heap", shape));
  candidates.push_back(std::make_unique<Holding<HeapQueue<4>>>("4-ary heap", shape));
  candidates.push_back(std::make_unique<Holding<ThreeTierHeap>>("three-tier heap", shape));
  candidates.push_back(std::make_unique<Holding<LadderQueue>>("ladder queue", shape));
  candidates.push_back(std::make_unique<Holding<TwoTierLadder>>("two-tier ladder", shape));
  candidates.push_back(std::make_unique<Holding<BucketQueue>>("bucket queue", shape));
  for (int round = 0; round < options.rounds; ++round) {
    for (const auto& each : candidates) {
      each->ns.push_back(each->hold(options.holds));
      each->ratios.push_back(each->ns.back() / candidates.front()->ns.back());
    }
  }
  std::printf("\n%s\n%-20s %12s %22s\n", shape.name, "", "ns per hold", "/ std::priority_queue");
  for (const auto& each : candidates) {
    std::printf("%-20s %12.1f %22.2f\n", each->name().c_str(), median(each->ns), median(each->ratios));
    for (std::size_t round = 0; options.csv.is_open() && round < each->ns.size(); ++round) {
      options.csv << '"' << shape.name << "\",\"" << each->name() << "\"," << round << ',' << each->ns[round] << '\n';
    }
  }
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const bool has_value = i + 1 < argc;
    if (argument == "--smoke") {
      options.rounds = 1;
      options.holds = 20'000;
    } else if (argument == "--rounds" && has_value && std::atoi(argv[i + 1]) > 0) {
      options.rounds = std::atoi(argv[++i]);
    } else if (argument == "--csv" && has_value) {
      options.csv.open(argv[++i]);
      options.csv << "shape,set,round,ns_per_hold\n";
    } else {
      std::fprintf(stderr, "usage: %s [--rounds N] [--csv FILE] [--smoke]\n", argv[0]);
      std::exit(2);
    }
  }
  return options;
}

}  // namespace
}  // namespace laxity::timewarp

int main(int argc, char** argv) {
  auto options = laxity::timewarp::parse(argc, argv);
  for (const auto& shape : laxity::timewarp::shapes) laxity::timewarp::compare(shape, options);
}
