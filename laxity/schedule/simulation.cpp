#include "laxity/schedule/simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/schedule/detail/event_queue.hpp"
#include "laxity/schedule/detail/matching.hpp"

namespace laxity::schedule {
namespace {

using detail::none;

constexpr std::uint32_t done = any;  // instead of the number of operations that one waits for

struct LevelTimes {
  std::uint32_t ranks;
  Picoseconds latency, overhead, gap;
  double per_byte;

  [[nodiscard]] Picoseconds bytes_after_the_first(std::uint64_t bytes) const noexcept {
    return bytes < 2 ? 0 : static_cast<Picoseconds>(std::llround(static_cast<double>(bytes - 1) * per_byte));
  }
};

Picoseconds from_us(double us) { return static_cast<Picoseconds>(std::llround(us * 1e6)); }

/// The dependencies of all ranks, by the operation that others wait for; operations are numbered over all ranks.
struct Successors {
  std::vector<std::uint32_t> first;  // of each operation, and one more
  std::vector<std::uint32_t> waiting;
  std::vector<bool> at_start;

  explicit Successors(const Schedule& schedule) : first(schedule.total_ops() + 1) {
    std::uint32_t base = 0;
    std::size_t edges = 0;
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
      for (const Edge& edge : schedule.edges(rank)) ++first[base + edge.before + 1];
      edges += schedule.edges(rank).size();
      base += static_cast<std::uint32_t>(schedule.ops(rank).size());
    }
    for (std::size_t op = 1; op < first.size(); ++op) first[op] += first[op - 1];
    waiting.resize(edges);
    at_start.resize(edges);
    std::vector<std::uint32_t> place(first.begin(), first.end() - 1);
    base = 0;
    for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
      for (const Edge& edge : schedule.edges(rank)) {
        const std::uint32_t at = place[base + edge.before]++;
        waiting[at] = base + edge.after;
        at_start[at] = edge.start;
      }
      base += static_cast<std::uint32_t>(schedule.ops(rank).size());
    }
  }
};

class Simulation {
 public:
  Simulation(const Schedule& schedule, const Machine& machine, const SimulationOptions& options);
  [[nodiscard]] SimulationResult run();

 private:
  // What the event queue brings: a processor may start something, a message or a request to send one arrives, a message
  // above the eager limit has left. In this order at equal times, then by number.
  enum class Kind : std::uint8_t { arrival, sent, wake };
  struct Event {
    Picoseconds time;
    Kind kind;
    std::uint32_t number;  // of the operation, or of the processor

    friend bool operator>(const Event& a, const Event& b) noexcept {
      if (a.time != b.time) return a.time > b.time;
      return a.kind != b.kind ? a.kind > b.kind : a.number > b.number;
    }
  };
  struct ReadyList {
    std::uint32_t head = none;
    std::uint32_t tail = none;
  };
  struct Processor {
    Picoseconds free = 0;
    Picoseconds wake = -1;           // time of its event, if it has one
    std::array<ReadyList, 3> ready;  // by action, in the order of their times
  };
  struct Interface {
    Picoseconds send_free = 0;
    Picoseconds receive_free = 0;
  };

  [[nodiscard]] const Op& op(std::uint32_t number) const noexcept { return ops_[number]; }
  [[nodiscard]] std::uint32_t processor_of(std::uint32_t number) const noexcept {
    return rank_of_[number] * processors_per_rank_ + op(number).cpu;
  }
  [[nodiscard]] Interface& interface_of(std::uint32_t number) noexcept {
    return interfaces_[rank_of_[number] * interfaces_per_rank_ + op(number).nic];
  }
  [[nodiscard]] const LevelTimes& level_of(std::uint32_t number) const noexcept {
    const std::uint32_t a = rank_of_[number], b = peer_[number];
    for (const LevelTimes& level : levels_)
      if (level.ranks == 0 || a / level.ranks == b / level.ranks) return level;
    return levels_.back();
  }

  void become_ready(std::uint32_t number);
  void insert(std::uint32_t number);
  void dispatch(std::uint32_t processor, Picoseconds now);
  [[nodiscard]] Picoseconds start_of(std::uint32_t number, const Processor& processor) noexcept;
  [[nodiscard]] Picoseconds execute(std::uint32_t number, Picoseconds start);
  void start_send(std::uint32_t number, Picoseconds start, const LevelTimes& level);
  void arrive(std::uint32_t message, Picoseconds now);
  void match(std::uint32_t message, std::uint32_t receive);
  void release(std::uint32_t number, bool at_start, Picoseconds time);
  void complete(std::uint32_t number, Picoseconds end);
  void push(Picoseconds time, Kind kind, std::uint32_t number) { events_.push({time, kind, number}); }
  void wake(std::uint32_t processor, Picoseconds time);
  [[noreturn]] void fail_stuck() const;

  std::span<const Op> ops_;
  std::vector<std::uint32_t> rank_of_;
  std::vector<std::uint32_t>
      peer_;  // of a receive the source of its message, once it is matched; of a matched send none
  std::vector<LevelTimes> levels_;
  std::uint64_t eager_limit_;
  Successors successors_;
  std::vector<std::uint32_t> waits_for_;  // number of operations
  std::vector<Picoseconds> ready_;        // of a message that has arrived: when
  std::vector<std::uint32_t> next_;       // in a ready list
  std::uint32_t processors_per_rank_ = 1;
  std::uint32_t interfaces_per_rank_ = 1;
  std::vector<Processor> processors_;
  std::vector<Interface> interfaces_;
  detail::Matching matching_;
  detail::EventQueue<Event> events_;
  std::uint32_t dispatching_ = none;  // the processor whose operations are being started
  std::size_t completed_ = 0;
  std::size_t matched_ = 0;  // messages
  std::size_t messages_;
  SimulationResult result_;
  std::vector<double> arrival_s_;
};

std::span<const Op> all_ops(const Schedule& schedule) {
  std::uint32_t rank = 0;
  while (rank < schedule.ranks() && schedule.ops(rank).empty()) ++rank;
  return rank == schedule.ranks() ? std::span<const Op>{} : std::span(schedule.ops(rank).data(), schedule.total_ops());
}

bool has_wildcards(std::span<const Op> ops) {
  return std::ranges::any_of(
      ops, [](const Op& op) { return op.action == Action::receive && (op.peer == any || op.tag == any); });
}

Simulation::Simulation(const Schedule& schedule, const Machine& machine, const SimulationOptions& options)
    : ops_(all_ops(schedule)),
      eager_limit_(machine.eager_limit_bytes == 0 ? ~std::uint64_t{0} : machine.eager_limit_bytes),
      successors_(schedule),
      waits_for_(ops_.size()),
      ready_(ops_.size()),
      next_(ops_.size(), none),
      matching_(ops_.size(), has_wildcards(ops_)),
      messages_(schedule.messages()),
      arrival_s_(options.arrival_s.begin(), options.arrival_s.end()) {
  for (const Level& level : machine.levels)
    levels_.push_back({level.ranks, from_us(level.latency_us), from_us(level.overhead_us), from_us(level.gap_us),
                       level.gap_per_byte_ns * 1e3});
  rank_of_.reserve(ops_.size());
  peer_.reserve(ops_.size());
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    for (const Op& each : schedule.ops(rank)) {
      const bool wildcard = each.action == Action::receive && each.peer == any;
      if (each.action != Action::compute && each.peer >= schedule.ranks() && !wildcard)
        throw UsageError("rank " + std::to_string(rank) + " has a message to or from rank " +
                         std::to_string(each.peer) + "; there are " + std::to_string(schedule.ranks()) + " ranks");
      rank_of_.push_back(rank);
      peer_.push_back(each.peer);
      processors_per_rank_ = std::max<std::uint32_t>(processors_per_rank_, each.cpu + 1U);
      interfaces_per_rank_ = std::max<std::uint32_t>(interfaces_per_rank_, each.nic + 1U);
    }
  }
  processors_.resize(std::size_t{schedule.ranks()} * processors_per_rank_);
  interfaces_.resize(std::size_t{schedule.ranks()} * interfaces_per_rank_);
  for (const std::uint32_t waiting : successors_.waiting) ++waits_for_[waiting];
  result_.exit.resize(schedule.ranks());
  if (options.op_times) result_.op_times.resize(ops_.size());
}

SimulationResult Simulation::run() {
  for (std::size_t rank = 0; rank < result_.exit.size(); ++rank)
    result_.exit[rank] = arrival_s_.empty() ? 0 : from_us(arrival_s_[rank] * 1e6);
  for (std::uint32_t number = 0; number < ops_.size(); ++number) {
    ready_[number] = result_.exit[rank_of_[number]];
    if (waits_for_[number] == 0) become_ready(number);
  }
  while (!events_.empty()) {
    const Event event = events_.pop();
    switch (event.kind) {
      case Kind::arrival:
        arrive(event.number, event.time);
        break;
      case Kind::sent:
        complete(event.number, event.time);
        break;
      case Kind::wake:
        if (processors_[event.number].wake != event.time) break;  // an earlier one has taken its place
        processors_[event.number].wake = -1;
        dispatch(event.number, event.time);
        break;
    }
  }
  if (completed_ != ops_.size() || matched_ != messages_) fail_stuck();
  result_.last_exit = *std::ranges::max_element(result_.exit);
  return std::move(result_);
}

void Simulation::become_ready(std::uint32_t number) {
  if (op(number).action != Action::receive) return insert(number);
  const std::uint32_t message = matching_.post(number, {rank_of_[number], op(number).peer, op(number).tag});
  if (message != none) match(message, number);
}

// Into the ready list of its processor, behind those that are ready no later.
void Simulation::insert(std::uint32_t number) {
  const std::uint32_t where = processor_of(number);
  ReadyList& list = processors_[where].ready[static_cast<std::size_t>(op(number).action)];
  const auto precedes = [this](std::uint32_t a, std::uint32_t b) {
    return ready_[a] != ready_[b] ? ready_[a] < ready_[b] : a < b;
  };
  if (list.head == none || precedes(number, list.head)) {
    next_[number] = list.head;
    if (list.head == none) list.tail = number;
    list.head = number;
  } else {
    std::uint32_t before = precedes(list.tail, number) ? list.tail : list.head;
    while (next_[before] != none && precedes(next_[before], number)) before = next_[before];
    next_[number] = next_[before];
    next_[before] = number;
    if (list.tail == before) list.tail = number;
  }
  if (where != dispatching_) wake(where, start_of(number, processors_[where]));
}

void Simulation::wake(std::uint32_t processor, Picoseconds time) {
  Picoseconds& planned = processors_[processor].wake;
  if (planned >= 0 && planned <= time) return;
  planned = time;
  push(time, Kind::wake, processor);
}

Picoseconds Simulation::start_of(std::uint32_t number, const Processor& processor) noexcept {
  const Picoseconds start = std::max(ready_[number], processor.free);
  switch (op(number).action) {
    case Action::send:
      return std::max(start, interface_of(number).send_free);
    case Action::receive:
      return std::max(start, interface_of(number).receive_free);
    case Action::compute:
      break;
  }
  return start;
}

// Starts what can start now, and goes on while nothing else in the whole simulation comes first.
void Simulation::dispatch(std::uint32_t which, Picoseconds now) {
  Processor& processor = processors_[which];
  dispatching_ = which;
  for (;;) {
    ReadyList* best = nullptr;
    Picoseconds best_start = 0;
    for (ReadyList& list : processor.ready) {
      if (list.head == none) continue;
      const Picoseconds start = start_of(list.head, processor);
      const bool better =
          best == nullptr || start < best_start ||
          (start == best_start && (ready_[list.head] < ready_[best->head] ||
                                   (ready_[list.head] == ready_[best->head] && list.head < best->head)));
      if (better) best = &list, best_start = start;
    }
    if (best == nullptr) break;
    if (best_start > now && events_.next_time() <= best_start) {
      dispatching_ = none;
      return wake(which, best_start);
    }
    now = std::max(now, best_start);
    const std::uint32_t number = best->head;
    best->head = next_[number];
    if (best->head == none) best->tail = none;
    processor.free = execute(number, now);
  }
  dispatching_ = none;
}

// Returns when the processor is free again.
Picoseconds Simulation::execute(std::uint32_t number, Picoseconds start) {
  const Op& what = op(number);
  release(number, true, start);
  if (what.action == Action::compute) {
    const Picoseconds end = start + static_cast<Picoseconds>(what.size) * 1000;
    if (!result_.op_times.empty()) result_.op_times[number] = {start, end};
    complete(number, end);
    return end;
  }
  const LevelTimes& level = level_of(number);
  const Picoseconds end = start + level.overhead;
  if (!result_.op_times.empty()) result_.op_times[number] = {start, end};
  if (what.action == Action::send) {
    start_send(number, start, level);
  } else {
    interface_of(number).receive_free = start + level.gap + level.bytes_after_the_first(what.size);
    complete(number, end);
  }
  return end;
}

void Simulation::start_send(std::uint32_t number, Picoseconds start, const LevelTimes& level) {
  const Op& what = op(number);
  const Picoseconds bytes = level.bytes_after_the_first(what.size);
  const Picoseconds end = start + level.overhead;
  interface_of(number).send_free = start + level.gap + bytes;
  const bool eager = what.size <= eager_limit_;
  push(end + level.latency + (eager ? bytes : 0), Kind::arrival, number);
  if (eager) complete(number, end);
}

void Simulation::arrive(std::uint32_t message, Picoseconds now) {
  ready_[message] = now;
  const std::uint32_t receive = matching_.arrive(message, {op(message).peer, rank_of_[message], op(message).tag});
  if (receive != none) match(message, receive);
}

void Simulation::match(std::uint32_t message, std::uint32_t receive) {
  peer_[receive] = rank_of_[message];
  Picoseconds ready = std::max(ready_[message], ready_[receive]);
  if (op(message).size > eager_limit_) {
    const LevelTimes& level = level_of(message);
    const Picoseconds leaves = ready + level.latency;
    const Picoseconds sent = leaves + level.bytes_after_the_first(op(message).size);
    push(sent, Kind::sent, message);
    ready = sent + level.latency;
  }
  peer_[message] = none;
  ++matched_;
  ready_[receive] = ready;
  insert(receive);
}

// One dependency less for those that wait for the start, or for the end, of an operation.
void Simulation::release(std::uint32_t number, bool at_start, Picoseconds time) {
  for (std::uint32_t i = successors_.first[number]; i != successors_.first[number + 1]; ++i) {
    if (successors_.at_start[i] != at_start) continue;
    const std::uint32_t waiting = successors_.waiting[i];
    ready_[waiting] = std::max(ready_[waiting], time);
    if (--waits_for_[waiting] == 0) become_ready(waiting);
  }
}

void Simulation::complete(std::uint32_t number, Picoseconds end) {
  waits_for_[number] = done;
  ++completed_;
  Picoseconds& exit = result_.exit[rank_of_[number]];
  exit = std::max(exit, end);
  release(number, false, end);
}

// Names the first operation whose counterpart is missing: one that waits for nothing else.
void Simulation::fail_stuck() const {
  const auto lacks_counterpart = [&](std::uint32_t number) {
    if (op(number).action == Action::send)
      return peer_[number] != none && (waits_for_[number] == 0 || waits_for_[number] == done);
    return waits_for_[number] == 0;
  };
  std::uint32_t number = 0;
  while (number < ops_.size() && !lacks_counterpart(number)) ++number;
  if (number == ops_.size()) throw Error("the dependencies of the schedule form a cycle");
  std::uint32_t first = number;
  while (first > 0 && rank_of_[first - 1] == rank_of_[number]) --first;
  const Op& what = op(number);
  const bool sends = what.action == Action::send;
  const auto text = [](std::uint32_t value) { return value == any ? std::string("any") : std::to_string(value); };
  throw Error("rank " + std::to_string(rank_of_[number]) + ", operation " + std::to_string(number - first) + ": " +
              (sends ? "no receive matches the message to rank " : "no message matches the receive from rank ") +
              text(what.peer) + " with tag " + text(what.tag));
}

}  // namespace

SimulationResult simulate(const Schedule& schedule, const Machine& machine, const SimulationOptions& options) {
  require_valid(machine);
  if (!options.arrival_s.empty()) {
    if (options.arrival_s.size() != schedule.ranks())
      throw UsageError("arrival_s: " + std::to_string(options.arrival_s.size()) + " times for " +
                       std::to_string(schedule.ranks()) + " ranks");
    for (const double arrival : options.arrival_s)
      if (!(arrival >= 0) || arrival > 1e6) throw UsageError("arrival_s: each time must be 0 to 1e6 seconds");
  }
  return Simulation(schedule, machine, options).run();
}

}  // namespace laxity::schedule
