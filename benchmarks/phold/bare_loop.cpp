#include "bare_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <queue>
#include <vector>

#include "laxity/random.hpp"

namespace {

struct Payload {
  std::uint64_t hops;
  std::uint64_t baggage[4];
};

struct State {
  laxity::SeededRandom random{0};
  std::uint64_t handled = 0;
  std::uint64_t sum = 0;
};

// What a queue holds: 16 bytes; the payload lies elsewhere.
struct Pending {
  double time;
  std::uint32_t receiver;
  std::uint32_t event;
};

struct Later {
  bool operator()(const Pending& a, const Pending& b) const noexcept { return a.time > b.time; }
};

class Heap {
 public:
  explicit Heap(const BareModel&) {}
  void push(const Pending& pending) { queue_.push(pending); }
  [[nodiscard]] Pending pop() {
    const Pending next = queue_.top();
    queue_.pop();
    return next;
  }
  [[nodiscard]] const Pending* soon() const noexcept { return nullptr; }

 private:
  std::priority_queue<Pending, std::vector<Pending>, Later> queue_;
};

// A ring of buckets over the near future. The bucket that is reached is sorted; what is pushed into it later is
// inserted at its place; what lies beyond the ring waits until the ring has come round.
class Buckets {
 public:
  explicit Buckets(const BareModel& model)
      : width_(model.batch ? 1 : (model.min_delay + model.mean_delay) * per_bucket(model) / pending_of(model)) {
    const double ring = model.batch ? 64 : 4 * (model.min_delay + model.mean_delay) / width_;
    std::size_t buckets = 1;
    while (static_cast<double>(buckets) < ring) buckets *= 2;
    buckets_.resize(buckets);
  }

  void push(const Pending& pending) {
    const auto bucket = static_cast<std::uint64_t>(pending.time / width_);
    if (bucket >= current_ + buckets_.size()) {
      far_.push_back(pending);
    } else if (bucket > current_) {
      buckets_[bucket % buckets_.size()].push_back(pending);
    } else {
      open_.insert(std::upper_bound(open_.begin() + static_cast<std::ptrdiff_t>(next_), open_.end(), pending, sooner),
                   pending);
    }
  }

  [[nodiscard]] Pending pop() {
    while (next_ == open_.size()) advance();
    return open_[next_++];
  }

  [[nodiscard]] const Pending* soon() const noexcept {
    constexpr std::size_t ahead = 6;
    return next_ + ahead < open_.size() ? &open_[next_ + ahead] : nullptr;
  }

 private:
  // Events. Tried: 2 to 192. More buckets than these fall out of the second-level cache, fewer take longer to sort.
  static double per_bucket(const BareModel& model) { return std::max(2.0, pending_of(model) / 2048); }
  static double pending_of(const BareModel& model) {
    return static_cast<double>(model.logical_processes) * model.events_per_lp;
  }
  static bool sooner(const Pending& a, const Pending& b) noexcept { return a.time < b.time; }

  void advance() {
    ++current_;
    open_.clear();
    next_ = 0;
    open_.swap(buckets_[current_ % buckets_.size()]);
    if (!std::ranges::is_sorted(open_, sooner)) std::ranges::sort(open_, sooner);
    if (current_ % buckets_.size() == 0) {
      std::vector<Pending> waiting;
      waiting.swap(far_);
      for (const Pending& pending : waiting) push(pending);
    }
  }

  double width_;
  std::uint64_t current_ = 0;
  std::size_t next_ = 0;
  std::vector<Pending> open_;
  std::vector<std::vector<Pending>> buckets_;
  std::vector<Pending> far_;
};

double delay(const BareModel& model, laxity::SeededRandom& random) {
  const double drawn = -model.mean_delay * std::log(1.0 - random.unit());
  return model.min_delay + (model.batch ? std::floor(drawn) : drawn);
}

template <class Queue>
BareResult loop(const BareModel& model) {
  std::vector<State> states(model.logical_processes);
  std::vector<Payload> events;
  Queue queue(model);
  laxity::SeededRandom seeds(model.seed);
  std::size_t left = 0;
  for (std::uint32_t lp = 0; lp < model.logical_processes; ++lp) {
    states[lp].random = laxity::SeededRandom(seeds.bits());
    for (int i = 0; i < model.events_per_lp; ++i) {
      const double time = delay(model, states[lp].random);
      if (time >= model.end_time) continue;
      queue.push({time, lp, static_cast<std::uint32_t>(events.size())});
      events.push_back({0, {lp, static_cast<std::uint64_t>(i), 0, 0}});
      ++left;
    }
  }
  BareResult result;
  const auto start = std::chrono::steady_clock::now();
  while (left > 0) {
    const Pending next = queue.pop();
    if (const Pending* soon = queue.soon()) {
      __builtin_prefetch(&events[soon->event], 1);
      __builtin_prefetch(&states[soon->receiver], 1);
    }
    State& state = states[next.receiver];
    Payload& event = events[next.event];
    ++state.handled;
    state.sum += event.baggage[0] ^ event.hops;
    ++event.hops;  // the event that is sent takes the place of the one that was handled
    const std::uint32_t receiver = state.random.below(model.logical_processes);
    const double time = next.time + delay(model, state.random);
    if (time < model.end_time) {
      queue.push({time, receiver, next.event});
    } else {
      --left;
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const State& state : states) {
    result.events += state.handled;
    result.sum += state.sum;
  }
  return result;
}

}  // namespace

BareResult bare_bucket_loop(const BareModel& model) { return loop<Buckets>(model); }

BareResult bare_heap_loop(const BareModel& model) { return loop<Heap>(model); }
