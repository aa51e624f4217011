#include "laxity/trace/analysis/attribution.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "laxity/trace/detail/bounded_sample.hpp"

namespace laxity::trace {
namespace {

// A call is punctual if its skew is at most this share of its total delay: its length is that of the transfer.
constexpr double punctual_share = 0.1;
// Calls from which a median says what is usual.
constexpr std::size_t min_calls = 5;
constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

// The processes without which one cannot leave a collective: Scalasca's wait states.
enum class Needs {
  all,          // Wait at N x N, Wait at Barrier
  root,         // Late Broadcast; the root needs nobody
  all_at_root,  // Early Reduce; the others need nobody
  lower_ranks,  // Early Scan
  unknown       // the neighbors of a process are not recorded
};

Needs needs_of(Kind kind) {
  switch (kind) {
    case Kind::bcast:
    case Kind::scatter:
    case Kind::scatterv:
      return Needs::root;
    case Kind::gather:
    case Kind::gatherv:
    case Kind::reduce:
      return Needs::all_at_root;
    case Kind::scan:
    case Kind::exscan:
      return Needs::lower_ranks;
    case Kind::neighbor_allgather:
    case Kind::neighbor_allgatherv:
    case Kind::neighbor_alltoall:
    case Kind::neighbor_alltoallv:
    case Kind::neighbor_alltoallw:
      return Needs::unknown;
    default:
      return Needs::all;
  }
}

std::int64_t shifted(std::int64_t time_ns, double by_ns) {
  const double limit = static_cast<double>(std::int64_t{1} << 62);
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(time_ns, static_cast<std::int64_t>(std::clamp(by_ns, -limit, limit)), &sum)) return sum;
  return by_ns < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

// How long a call takes a process if nobody is late.
struct UsualTransfer {
  double ns = 0;
  bool measured = false;  // in punctual calls; otherwise estimated from all
};

// The parts of a call in the order of their arrivals.
class Arrivals {
 public:
  void read(std::span<const Participation> parts) {
    order_.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) order_[i] = {parts[i].call.arrival_ns, i};
    std::ranges::sort(order_);
  }
  [[nodiscard]] std::size_t first() const { return order_.front().second; }
  /// The last part that arrived before `exit_ns`: who leaves before a process arrives has not waited for it.
  [[nodiscard]] std::size_t last_before(std::int64_t exit_ns) const {
    const auto after = std::ranges::upper_bound(order_, exit_ns, {}, [](const auto& each) { return each.first; });
    return after == order_.begin() ? first() : (after - 1)->second;
  }

 private:
  std::vector<std::pair<std::int64_t, std::size_t>> order_;
};

// When a process arrives and leaves, and until when it may wait.
struct WaitingTimes {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t certain_ns = 0;   // the last arrival without which it cannot leave; `begin_ns` if it needs nobody
  std::int64_t possible_ns = 0;  // the last arrival before it leaves
  bool all_traced = true;

  [[nodiscard]] double inside_ns() const { return static_cast<double>(std::max(begin_ns, end_ns) - begin_ns); }
  [[nodiscard]] double before_ns(std::int64_t arrival_ns) const {
    return static_cast<double>(std::clamp(arrival_ns, begin_ns, std::max(begin_ns, end_ns)) - begin_ns);
  }
};

struct Times {
  double transfer_ns = 0, waiting_ns = 0, unknown_ns = 0;
};

// Divides the time in a call. Before the last arrival a process waits, or transfers what it can without the late: the
// part of the usual transfer that does not follow the last arrival.
Times divide(const WaitingTimes& times, const std::optional<UsualTransfer>& usual) {
  const double certain = times.before_ns(times.certain_ns), inside = times.inside_ns();
  if (!times.all_traced) return {.transfer_ns = 0, .waiting_ns = certain, .unknown_ns = inside - certain};
  const double before = times.before_ns(times.possible_ns), after = inside - before;
  if (usual) {
    const double waiting = before - std::clamp(usual->ns - after, 0.0, before);
    return {.transfer_ns = inside - waiting, .waiting_ns = waiting, .unknown_ns = 0};
  }
  const double waiting = std::max(0.0, 2 * certain - inside);
  return {.transfer_ns = after, .waiting_ns = waiting, .unknown_ns = before - waiting};
}

bool is_root(const Job& job, const Participation& part) {
  const Communicator& communicator = job.processes[part.process].communicators[part.call.communicator];
  return part.call.root >= 0 && static_cast<std::uint32_t>(part.call.root) == communicator.rank;
}

// The time in which a process waits or transfers: the call, or the wait that completes it.
std::pair<std::int64_t, std::int64_t> waiting_interval(const Call& call) {
  if (call.start != Start::blocking && !call.completed) return {call.return_ns, call.return_ns};
  return {call.completing_ns, call.exit_ns};
}

// What is usual: how long a call takes each process if nobody is late, and how long it computes before a call.
//
// Where calls are never punctual, the transfer takes a process as long as its median call, unless it waits in most of
// them, and no longer than it takes any process after the last arrival in nearly all calls.
class Usual {
 public:
  explicit Usual(const Job& job)
      : job_(job), punctual_(job.processes.size()), all_(job.processes.size()), compute_(job.processes.size()) {
    std::vector<Samples> punctual(job.processes.size()), all(job.processes.size()), computes(job.processes.size());
    Samples longest;
    Arrivals arrivals;
    job.for_each_call([&](const CollectiveCall& call) {
      const CallFigures figures = figures_of(call);
      const auto total_ns = static_cast<double>(figures.total_delay_ns());
      const bool is_punctual = static_cast<double>(figures.skew_ns()) <= punctual_share * total_ns;
      std::int64_t longest_ns = 0;
      arrivals.read(call.parts);
      for (const Participation& part : call.parts) {
        computes[part.process][compute_key(part)].add(compute_ns(part));
        if (!part.call.completed) continue;
        const auto [begin_ns, end_ns] = waiting_interval(part.call);
        const auto inside_ns = static_cast<double>(end_ns - begin_ns);
        const std::int64_t last_ns = call.parts[arrivals.last_before(end_ns)].call.arrival_ns;
        longest_ns = std::max(longest_ns, end_ns - std::max(begin_ns, last_ns));
        all[part.process][transfer_key(call, part)].add(inside_ns);
        if (is_punctual) punctual[part.process][transfer_key(call, part)].add(inside_ns);
      }
      longest[call_key(call)].add(static_cast<double>(longest_ns));
    });
    for (std::size_t i = 0; i < job.processes.size(); ++i) {
      punctual_[i] = quantiles_of(punctual[i], 0.5);
      all_[i] = quantiles_of(all[i], 0.5);
      compute_[i] = quantiles_of(computes[i], 0.5);
    }
    longest_ = quantiles_of(longest, 0.9);
  }

  [[nodiscard]] std::optional<UsualTransfer> transfer(const CollectiveCall& call, const Participation& part) const {
    const std::uint64_t key = transfer_key(call, part);
    if (const auto measured = find(punctual_[part.process], key)) return UsualTransfer{*measured, true};
    const auto inside = find(all_[part.process], key), longest = find(longest_, call_key(call));
    if (!inside || !longest) return {};
    return UsualTransfer{std::min(*inside, *longest), false};
  }
  [[nodiscard]] std::optional<double> usual_compute_ns(const Participation& part) const {
    return find(compute_[part.process], compute_key(part));
  }
  [[nodiscard]] static double compute_ns(const Participation& part) {
    return static_cast<double>(part.call.arrival_ns - part.previous_exit_ns);
  }

 private:
  using Samples = std::unordered_map<std::uint64_t, detail::BoundedSample>;
  using Quantiles = std::unordered_map<std::uint64_t, double>;

  // Messages of similar size take a similar time.
  [[nodiscard]] static std::uint64_t call_key(const CollectiveCall& call) {
    return static_cast<std::uint64_t>(call.kind) | static_cast<std::uint64_t>(call.start) << 5 |
           static_cast<std::uint64_t>(std::bit_width(call.bytes)) << 7 | std::uint64_t{call.communicator} << 16;
  }
  [[nodiscard]] std::uint64_t transfer_key(const CollectiveCall& call, const Participation& part) const {
    return call_key(call) | static_cast<std::uint64_t>(is_root(job_, part)) << 48;
  }
  [[nodiscard]] static std::uint64_t compute_key(const Participation& part) {
    return std::uint64_t{part.previous_site} << 32 | part.call.site;
  }
  static Quantiles quantiles_of(const Samples& samples, double quantile) {
    Quantiles quantiles;
    for (const auto& [key, sample] : samples)
      if (sample.size() >= min_calls) quantiles[key] = sample.quantile(quantile);
    return quantiles;
  }
  static std::optional<double> find(const Quantiles& quantiles, std::uint64_t key) {
    const auto found = quantiles.find(key);
    if (found == quantiles.end()) return {};
    return found->second;
  }

  const Job& job_;
  std::vector<Quantiles> punctual_, all_, compute_;  // by process
  Quantiles longest_;                                // after the last arrival
};

// The largest error of each process's times relative to those of any other one.
std::vector<double> clock_errors_ns(const Job& job) {
  const std::uint64_t clock = job.processes.front().process.clock;
  const bool shared = clock != 0 && std::ranges::all_of(job.processes, [clock](const TracedProcess& each) {
                        return each.process.clock == clock;
                      });
  std::vector<double> errors_ns(job.processes.size(), 0);
  if (shared) return errors_ns;
  double largest_ns = 0;
  for (const TracedProcess& each : job.processes) largest_ns = std::max(largest_ns, each.clock_error_ns());
  for (std::size_t i = 0; i < errors_ns.size(); ++i) errors_ns[i] = job.processes[i].clock_error_ns() + largest_ns;
  return errors_ns;
}

// The sums of one collective.
struct Row {
  DividedTime time;
  std::map<std::uint32_t, Lateness> late;
  Lateness& of(std::uint32_t process) {
    Lateness& lateness = late[process];
    lateness.process = process;
    return lateness;
  }
};

std::vector<Lateness> in_order(const std::map<std::uint32_t, Lateness>& late) {
  std::vector<Lateness> sorted;
  for (const auto& [process, lateness] : late) sorted.push_back(lateness);
  std::ranges::stable_sort(sorted, std::greater<>{}, &Lateness::caused_ns);
  return sorted;
}

class Attributor {
 public:
  explicit Attributor(const Job& job)
      : job_(job), usual_(job), clock_error_ns_(clock_errors_ns(job)), left_(job.processes.size()) {}

  CallAttribution add(const CollectiveCall& call, const CallFigures& figures) {
    call_ = &call;
    read_arrivals();
    CallAttribution result;
    Row& row = rows_[{call.kind, call.start, call.communicator}];
    waited_for_.assign(call.parts.size(), 0);
    std::vector<Left> left;
    for (std::size_t i = 0; i < call.parts.size(); ++i) {
      const std::optional<std::size_t> needed = last_needed(i);
      const DividedTime time = divided(i, needed);
      result.time += time;
      const std::size_t late = waited_for(i, needed, time.waiting_ns);
      const ByCause shares = attribute(row, i, late, time.waiting_ns);
      for (std::size_t cause = 0; cause < shares.size(); ++cause) {
        result.waiting_ns[cause] += shares[cause] * time.waiting_ns;
      }
      waited_for_[late] += time.waiting_ns;
      left.push_back({call.parts[i].call.exit_ns, origin_at_exit(i, late, time, figures)});
    }
    for (std::size_t i = 0; i < left.size(); ++i) left_[call.parts[i].process] = left[i];
    row.time += result.time;
    const auto most = std::ranges::max_element(waited_for_) - waited_for_.begin();
    result.late = call.parts[static_cast<std::size_t>(most)].process;
    if (result.time.waiting_ns > result.time.transfer_ns + result.time.unknown_ns) ++row.of(result.late).calls;
    return result;
  }

  Attribution finish(Summary summary) {
    Attribution result{.summary = std::move(summary), .collectives = {}, .time = {}, .late = {}};
    Row all;
    for (const CollectiveSummary& sum : result.summary.collectives) {
      const Row& row = rows_.at({sum.kind, sum.start, sum.communicator});
      result.collectives.push_back({row.time, in_order(row.late)});
      all.time += row.time;
      for (const auto& [process, lateness] : row.late) {
        Lateness& sums = all.of(process);
        sums.calls += lateness.calls;
        sums.propagated_ns += lateness.propagated_ns;
        for (std::size_t cause = 0; cause < sums.waiting_ns.size(); ++cause)
          sums.waiting_ns[cause] += lateness.waiting_ns[cause];
      }
    }
    result.time = all.time;
    result.late = in_order(all.late);
    return result;
  }

 private:
  // How a process left its last collective: because of whom it was late, if anybody.
  struct Left {
    std::int64_t exit_ns = std::numeric_limits<std::int64_t>::min();
    std::uint32_t origin = nobody;
  };

  [[nodiscard]] const Participation& part(std::size_t i) const { return call_->parts[i]; }
  [[nodiscard]] std::size_t last() const { return arrivals_.last_before(std::numeric_limits<std::int64_t>::max()); }
  [[nodiscard]] std::uint32_t rank_in_communicator(std::size_t i) const {
    return job_.processes[part(i).process].communicators[part(i).call.communicator].rank;
  }

  // The parts in the order of their arrivals, the root, and for scans the last arrivals of the lower ranks.
  void read_arrivals() {
    arrivals_.read(call_->parts);
    root_.reset();
    for (std::size_t i = 0; i < call_->parts.size(); ++i)
      if (is_root(job_, part(i))) root_ = i;
    if (needs_of(call_->kind) != Needs::lower_ranks) return;
    std::vector<std::size_t> by_rank(call_->parts.size());
    std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
    std::ranges::sort(by_rank, {}, [this](std::size_t i) { return rank_in_communicator(i); });
    last_below_.resize(by_rank.size());
    std::size_t last = by_rank.front();
    for (const std::size_t i : by_rank) {
      if (part(i).call.arrival_ns > part(last).call.arrival_ns) last = i;
      last_below_[i] = last;
    }
  }

  // The last part without which part i cannot leave the call; empty if it may need none.
  [[nodiscard]] std::optional<std::size_t> last_needed(std::size_t i) const {
    const Communicator& own = job_.processes[part(i).process].communicators[part(i).call.communicator];
    if (own.remote_size != 0) return {};
    switch (needs_of(call_->kind)) {
      case Needs::all:
        return last();
      case Needs::root:
        return root_ == i ? std::nullopt : root_;
      case Needs::all_at_root:
        return root_ == i ? std::optional(last()) : std::nullopt;
      case Needs::lower_ranks:
        return last_below_[i];
      case Needs::unknown:
        break;
    }
    return {};
  }

  // The part that part i waited for: the one that it needs if that explains most of the waiting, otherwise the last one
  // that arrived before it left.
  [[nodiscard]] std::size_t waited_for(std::size_t i, std::optional<std::size_t> needed, double waiting_ns) const {
    const std::size_t possible = arrivals_.last_before(waiting_interval(part(i).call).second);
    if (!needed) return possible;
    const auto earlier_ns = static_cast<double>(part(*needed).call.arrival_ns - waiting_interval(part(i).call).first);
    return 2 * earlier_ns >= waiting_ns ? *needed : possible;
  }

  // With the arrivals of the others later by `by_ns`; of those that may have been before the exit, or certainly were.
  [[nodiscard]] WaitingTimes times_of(std::size_t i, std::optional<std::size_t> needed, double by_ns) const {
    const auto [begin_ns, end_ns] = waiting_interval(part(i).call);
    const std::size_t possible = arrivals_.last_before(shifted(end_ns, by_ns));
    const std::int64_t certain_ns = needed && *needed != i ? shifted(part(*needed).call.arrival_ns, by_ns) : begin_ns;
    const std::int64_t possible_ns = possible != i ? shifted(part(possible).call.arrival_ns, by_ns) : begin_ns;
    return {.begin_ns = begin_ns,
            .end_ns = end_ns,
            .certain_ns = certain_ns,
            .possible_ns = std::max(certain_ns, possible_ns),
            .all_traced = call_->parts.size() == job_.communicators[call_->communicator].size};
  }

  // The range has the waiting for all clocks within their errors. An estimated transfer has the error, too, and may
  // have been waiting.
  [[nodiscard]] DividedTime divided(std::size_t i, std::optional<std::size_t> needed) const {
    const double error_ns = clock_error_ns_[part(i).process];
    const auto usual = usual_.transfer(*call_, part(i));
    auto longest = usual;
    if (longest && !longest->measured) longest->ns += error_ns;
    const Times best = divide(times_of(i, needed, 0), usual);
    const WaitingTimes later = times_of(i, needed, error_ns);
    const double possible_ns = later.all_traced ? later.before_ns(later.possible_ns) : later.inside_ns();
    DividedTime time{.transfer_ns = best.transfer_ns,
                     .waiting_ns = best.waiting_ns,
                     .unknown_ns = best.unknown_ns,
                     .waiting_low_ns = divide(times_of(i, needed, -error_ns), longest).waiting_ns,
                     .waiting_high_ns = usual && usual->measured ? divide(later, usual).waiting_ns : possible_ns};
    const Call& call = part(i).call;
    if (call.start != Start::blocking) time.transfer_ns += static_cast<double>(call.return_ns - call.arrival_ns);
    return time;
  }

  // The share of each cause in what made process `late` arrive later than process `other`.
  [[nodiscard]] ByCause shares_of(std::size_t late, std::size_t other) const {
    const auto share = [](Cause cause) { return static_cast<std::size_t>(cause); };
    const Participation &a = part(late), &b = part(other);
    ByCause shares{};
    if (job_.processes[a.process].process.every == 1) {
      shares[share(Cause::earlier)] = static_cast<double>(a.previous_exit_ns - b.previous_exit_ns);
      const double longer_ns = Usual::compute_ns(a) - Usual::compute_ns(b);
      const auto usual_a = usual_.usual_compute_ns(a), usual_b = usual_.usual_compute_ns(b);
      const bool known = usual_a && usual_b;
      const double work_ns = known ? *usual_a - *usual_b : 0;
      shares[share(Cause::work)] = work_ns;
      shares[share(known ? Cause::noise : Cause::unknown)] = longer_ns - work_ns;
    }
    double sum = 0;
    for (double& each : shares) sum += each = std::max(each, 0.0);
    if (sum <= 0) shares[share(Cause::unknown)] = sum = 1;
    for (double& each : shares) each /= sum;
    return shares;
  }

  // The process that made `late` arrive later than `other`: itself, or the one that made it leave its last collective
  // late.
  [[nodiscard]] std::uint32_t origin_of(std::size_t late, std::size_t other) const {
    const ByCause shares = shares_of(late, other);
    if (shares[static_cast<std::size_t>(Cause::earlier)] < 0.5) return part(late).process;
    return origin_before(late);
  }
  [[nodiscard]] std::uint32_t origin_before(std::size_t i) const {
    const Left& left = left_[part(i).process];
    return left.exit_ns == part(i).previous_exit_ns ? left.origin : nobody;
  }

  // Attributes the waiting of part i to part `late`. Returns the share of each cause.
  ByCause attribute(Row& row, std::size_t i, std::size_t late, double waiting_ns) {
    if (waiting_ns <= 0) return {};
    const ByCause shares = shares_of(late, i);
    Lateness& lateness = row.of(part(late).process);
    for (std::size_t cause = 0; cause < shares.size(); ++cause)
      lateness.waiting_ns[cause] += shares[cause] * waiting_ns;
    const double propagated_ns = shares[static_cast<std::size_t>(Cause::earlier)] * waiting_ns;
    const std::uint32_t origin = origin_before(late);
    if (propagated_ns > 0 && origin != nobody) row.of(origin).propagated_ns += propagated_ns;
    return shares;
  }

  // Because of whom part i leaves this call late: the one that it waited for, or whoever made itself arrive late.
  [[nodiscard]] std::uint32_t origin_at_exit(std::size_t i, std::size_t needed, const DividedTime& time,
                                             const CallFigures& figures) const {
    if (time.waiting_ns > time.transfer_ns) return origin_of(needed, i);
    const auto delay_ns = static_cast<double>(part(i).call.arrival_ns - figures.first_arrival_ns);
    if (delay_ns <= time.transfer_ns) return nobody;
    return origin_of(i, arrivals_.first());
  }

  const Job& job_;
  Usual usual_;
  std::map<std::tuple<Kind, Start, std::uint32_t>, Row> rows_;
  std::vector<double> clock_error_ns_;  // by process
  std::vector<Left> left_;              // by process

  // Of the call that is being attributed, by part.
  const CollectiveCall* call_ = nullptr;
  Arrivals arrivals_;
  std::optional<std::size_t> root_;
  std::vector<std::size_t> last_below_;
  std::vector<double> waited_for_;
};

}  // namespace

DividedTime& DividedTime::operator+=(const DividedTime& other) noexcept {
  transfer_ns += other.transfer_ns;
  waiting_ns += other.waiting_ns;
  unknown_ns += other.unknown_ns;
  waiting_low_ns += other.waiting_low_ns;
  waiting_high_ns += other.waiting_high_ns;
  return *this;
}

double Lateness::direct_ns() const noexcept { return std::reduce(waiting_ns.begin(), waiting_ns.end()); }

std::string_view CallAttribution::largest() const noexcept {
  constexpr auto unknown = static_cast<std::size_t>(Cause::unknown);
  ByCause sums = waiting_ns;
  sums[unknown] += time.unknown_ns;
  const auto most = std::ranges::max_element(sums);
  return time.transfer_ns >= *most ? "transfer" : cause_names[static_cast<std::size_t>(most - sums.begin())];
}

Attribution attribute(const Job& job, const VisitAttributed& also) {
  Attributor attributor(job);
  Summary summary = summarize(job, [&](const CollectiveCall& call, const CallFigures& figures) {
    const CallAttribution attribution = attributor.add(call, figures);
    if (also) also(call, figures, attribution);
  });
  return attributor.finish(std::move(summary));
}

}  // namespace laxity::trace
