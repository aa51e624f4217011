#include "apps/laxity/trace/traced_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/schedule/collective_schedule.hpp"
#include "laxity/trace/analysis/conditions.hpp"

namespace laxity::cli {
namespace {

using collective::Collective;

// The part of a rank in a call.
struct Part {
  std::int64_t arrival_ns = 0, exit_ns = 0;
  std::size_t call = 0;            // index of the call
  std::uint32_t rank_in_call = 0;  // in its communicator
};

struct Call {
  const schedule::Schedule* schedule = nullptr;
  const std::vector<std::uint32_t>* members = nullptr;  // ranks of the job by rank in the communicator
  std::uint32_t first_tag = 0;
};

// All calls of a job, by rank in the order of their arrivals.
class TracedCalls {
 public:
  TracedCalls(const trace::Job& job, const ChosenAlgorithms& chosen) : chosen_(chosen), parts_(job.processes.size()) {
    const std::uint64_t mismatched = job.for_each_call([&](const trace::CollectiveCall& call) { add(job, call); });
    left_out_ += mismatched;
    for (auto& parts : parts_) std::ranges::sort(parts, {}, &Part::arrival_ns);
  }

  [[nodiscard]] const std::vector<Part>& parts(std::uint32_t rank) const { return parts_[rank]; }
  [[nodiscard]] const Call& call(const Part& part) const { return calls_[part.call]; }
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_.size(); }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  void add(const trace::Job& job, const trace::CollectiveCall& call) {
    const std::optional<Collective> collective = trace::collective_of(call.kind);
    const std::uint64_t bytes = trace::benchmark_bytes(job, call);
    if (!collective || !trace::is_comparable(job, call) || (bytes == 0 && *collective != Collective::barrier)) {
      ++left_out_;
      return;
    }
    std::vector<std::uint32_t>& members = members_[call.communicator];
    members.resize(call.parts.size());
    for (const trace::Participation& part : call.parts) {
      const trace::TracedProcess& process = job.processes[part.process];
      const std::uint32_t rank = process.communicators[part.call.communicator].rank;
      members[rank] = process.process.rank;
      parts_[process.process.rank].push_back({part.call.arrival_ns, part.call.exit_ns, calls_.size(), rank});
    }
    const auto root = static_cast<std::uint32_t>(std::max(0, call.parts.front().call.root));
    const auto& [schedule, tags] = schedule_of(*collective, static_cast<std::uint32_t>(members.size()), bytes, root);
    if (tags > schedule::any - next_tag_) throw Error("the trace has too many calls for the tags of a schedule");
    calls_.push_back({&schedule, &members, next_tag_});
    next_tag_ += tags;
  }

  using Key = std::tuple<Collective, std::uint32_t, std::uint64_t, std::uint32_t>;
  using WithTags = std::pair<schedule::Schedule, std::uint32_t>;  // a schedule and the number of its tags

  const WithTags& schedule_of(Collective collective, std::uint32_t ranks, std::uint64_t bytes, std::uint32_t root) {
    const Key key{collective, ranks, bytes, root};
    const auto known = schedules_.find(key);
    if (known != schedules_.end()) return known->second;
    schedule::Schedule made = schedule::make_schedule(
        {.collective = collective, .ranks = ranks, .bytes = bytes, .root = root}, chosen_.at(collective));
    std::uint32_t tags = 1;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      for (const schedule::Op& op : made.ops(rank))
        if (op.tag != schedule::any) tags = std::max(tags, op.tag + 1);
    return schedules_.emplace(key, WithTags{std::move(made), tags}).first->second;
  }

  const ChosenAlgorithms& chosen_;
  std::map<Key, WithTags> schedules_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members_;  // by communicator
  std::vector<Call> calls_;
  std::vector<std::vector<Part>> parts_;  // by rank
  std::uint32_t next_tag_ = 0;
  std::uint64_t left_out_ = 0;
};

// Adds the operations of a call to the current rank after `before`. Returns those that no other one waits for.
std::vector<schedule::OpId> add_call(schedule::Schedule& schedule, const Call& call, std::uint32_t rank_in_call,
                                     schedule::OpId before) {
  const std::span<const schedule::Op> ops = call.schedule->ops(rank_in_call);
  std::vector<bool> waits(ops.size()), is_awaited(ops.size());
  for (const schedule::Edge& edge : call.schedule->edges(rank_in_call)) {
    waits[edge.after] = true;
    if (!edge.start) is_awaited[edge.before] = true;
  }
  std::vector<schedule::OpId> last;
  const schedule::OpId first = before + 1;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    schedule::Op op = ops[i];
    if (op.action != schedule::Action::compute) {
      if (op.peer != schedule::any) op.peer = (*call.members)[op.peer];
      op.tag = call.first_tag + (op.tag == schedule::any ? 0 : op.tag);
    }
    const std::vector<schedule::OpId> after(waits[i] ? 0 : 1, before);
    const schedule::OpId id = schedule.add(op, after);
    if (!is_awaited[i]) last.push_back(id);
  }
  for (const schedule::Edge& edge : call.schedule->edges(rank_in_call))
    schedule.require({first + edge.before, first + edge.after, edge.start});
  if (ops.empty()) last.push_back(before);
  return last;
}

std::uint64_t length_ns(std::int64_t begin_ns, std::int64_t end_ns) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, end_ns - begin_ns));
}

}  // namespace

ChosenAlgorithms chosen_algorithms(const std::vector<std::string>& choices) {
  ChosenAlgorithms chosen;
  for (const std::string& choice : choices) {
    const std::size_t equals = choice.find('=');
    if (equals == std::string::npos) throw UsageError(choice + ": expected COLLECTIVE=ALGORITHM, as in allreduce=ring");
    const Collective collective = collective::collective_named(choice.substr(0, equals));
    if (!chosen.emplace(collective, choice.substr(equals + 1)).second) throw UsageError(choice + ": chosen twice");
  }
  chosen.insert({{Collective::allgather, "bruck"},
                 {Collective::allreduce, "recursive_doubling"},
                 {Collective::alltoall, "modified_bruck"},
                 {Collective::barrier, "recursive_doubling"},
                 {Collective::bcast, "binomial"},
                 {Collective::gather, "binomial"},
                 {Collective::reduce, "binomial"},
                 {Collective::reduce_scatter, "recursive_halving"},
                 {Collective::scatter, "binomial"}});
  return chosen;
}

TracedSchedule traced_schedule(const trace::Job& job, const ChosenAlgorithms& chosen) {
  const bool all_calls =
      std::ranges::all_of(job.processes, [](const auto& process) { return process.process.every == 1; });
  if (job.processes.size() != job.size || !all_calls)
    throw UsageError("a schedule needs the calls of all processes: trace without --every and --processes");
  if (!job.one_clock) throw UsageError("the clocks of the processes were not synchronized");
  const TracedCalls calls(job, chosen);
  TracedSchedule result{schedule::Schedule(job.size), calls.calls(), calls.left_out()};
  for (const trace::TracedProcess& process : job.processes) {
    result.schedule.begin_rank();
    std::int64_t left_ns = job.origin_ns();
    std::vector<schedule::OpId> last;
    for (const Part& part : calls.parts(process.process.rank)) {
      const schedule::OpId gap = result.schedule.compute(length_ns(left_ns, part.arrival_ns), last);
      last = add_call(result.schedule, calls.call(part), part.rank_in_call, gap);
      left_ns = part.exit_ns;
    }
    if (process.end) result.schedule.compute(length_ns(left_ns, process.end->at_ns), last);
  }
  return result;
}

}  // namespace laxity::cli
