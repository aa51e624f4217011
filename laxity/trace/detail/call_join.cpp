#include "laxity/trace/detail/call_join.hpp"

#include <algorithm>
#include <functional>

namespace laxity::trace::detail {
namespace {

// Calls that are read of one process before the turn of the next: fewer cost more turns, more let more calls wait.
constexpr int calls_per_turn = 32;

}  // namespace

CallJoin::CallJoin(const Job& job, const VisitCall& visit) : job_(job), visit_(visit), last_(job.processes.size()) {
  for (const TracedProcess& process : job.processes) readers_.emplace_back(process.path);
  for (const JobCommunicator& communicator : job.communicators) expected_.push_back(communicator.traced);
}

std::uint64_t CallJoin::run() {
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (std::uint32_t process = 0; process < readers_.size(); ++process) turns.emplace(INT64_MIN, process);
  while (!turns.empty()) {
    auto [read_ns, process] = turns.top();
    turns.pop();
    if (read_some(process, read_ns)) {
      turns.emplace(read_ns, process);
    } else {
      process_ended(process);
    }
  }
  return left_out_;
}

// False at the end of the file.
bool CallJoin::read_some(std::uint32_t process, std::int64_t& read_ns) {
  const ToGlobalClock& to_global = job_.processes[process].to_global;
  Call call;
  for (int i = 0; i < calls_per_turn; ++i) {
    if (!readers_[process].next(call)) return false;
    for (std::int64_t* time : {&call.arrival_ns, &call.return_ns, &call.completing_ns, &call.exit_ns}) {
      *time = to_global(*time);
    }
    add(part_of(process, call));
  }
  read_ns = call.exit_ns;
  return true;
}

// With what its thread did before. A nonblocking call is read when it is completed, so the last one may end after this
// one began; then its start was before, or nothing is known to have been.
Participation CallJoin::part_of(std::uint32_t process, const Call& call) {
  Participation part{.process = process, .call = call};
  part.previous_exit_ns = job_.processes[process].process.start_ns;
  const auto [found, is_first] = last_[process].try_emplace(call.thread);
  Last& last = found->second;
  if (!is_first) {
    const bool ended = last.exit_ns <= call.arrival_ns;
    part.previous_exit_ns = ended ? last.exit_ns : std::min(last.return_ns, call.arrival_ns);
    part.previous_site = last.site;
  }
  last = {.return_ns = call.return_ns, .exit_ns = call.exit_ns, .site = call.site};
  return part;
}

void CallJoin::add(const Participation& part) {
  const Place place{job_.processes[part.process].communicator_of[part.call.communicator], part.call.sequence};
  auto found = waiting_.find(place);
  if (found == waiting_.end()) {
    if (unused_.empty()) {
      found = waiting_.try_emplace(place).first;
    } else {
      unused_.back().key() = place;
      found = waiting_.insert(std::move(unused_.back())).position;
      unused_.pop_back();
    }
  }
  found->second.all.push_back(part);
  if (++found->second.of_unended >= expected_[place.communicator]) visit_waiting(found);
}

// Calls wait no longer for a process that has ended.
void CallJoin::process_ended(std::uint32_t process) {
  for (const std::uint32_t communicator : job_.processes[process].communicator_of) --expected_[communicator];
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    const auto waiting = each++;
    Parts& parts = waiting->second;
    parts.of_unended -= static_cast<std::uint32_t>(std::count_if(
        parts.all.begin(), parts.all.end(), [process](const Participation& part) { return part.process == process; }));
    if (parts.of_unended >= expected_[waiting->first.communicator]) visit_waiting(waiting);
  }
}

void CallJoin::visit_waiting(Waiting::iterator waiting) {
  std::vector<Participation>& parts = waiting->second.all;
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.process < b.process; });
  CollectiveCall joined;
  joined.kind = parts.front().call.kind;
  joined.start = parts.front().call.start;
  joined.communicator = waiting->first.communicator;
  joined.sequence = waiting->first.sequence;
  left_out_ += std::erase_if(parts, [&](const Participation& part) { return part.call.kind != joined.kind; });
  for (const Participation& part : parts) {
    const Communicator& communicator = job_.processes[part.process].communicators[part.call.communicator];
    joined.bytes = std::max(joined.bytes, message_bytes(part.call, communicator));
  }
  joined.parts = parts;
  visit_(joined);
  auto node = waiting_.extract(waiting);
  node.mapped().all.clear();
  node.mapped().of_unended = 0;
  unused_.push_back(std::move(node));
}

}  // namespace laxity::trace::detail
