#include "laxity/trace/analysis/summary.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

#include "laxity/trace/detail/interval_union.hpp"

namespace laxity::trace {
namespace {

// Intervals that are kept of a process, and of a process in the calls of one collective.
constexpr std::size_t process_capacity = 4096;
constexpr std::size_t collective_capacity = 64;

// Calls add(begin, end, end of waiting) for the times of a process in the MPI calls of one operation. Starting an
// operation is not waiting. Completing it is, until the last process has started it.
template <class Add>
void for_each_interval(const Call& call, std::int64_t last_arrival_ns, Add add) {
  const auto waits = [&](std::int64_t begin_ns, std::int64_t end_ns) {
    add(begin_ns, end_ns, std::clamp(last_arrival_ns, begin_ns, std::max(begin_ns, end_ns)));
  };
  if (call.start == Start::blocking) {
    waits(call.arrival_ns, call.exit_ns);
  } else {
    add(call.arrival_ns, call.return_ns, call.arrival_ns);
    if (call.completed) waits(call.completing_ns, call.exit_ns);
  }
}

// The time of a process in collectives and the part of it before the last arrivals, without counting time twice.
struct Time {
  explicit Time(std::size_t capacity) : inside(capacity), waiting(capacity) {}
  void add(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t waits_until_ns) {
    inside.add(begin_ns, end_ns);
    waiting.add(begin_ns, waits_until_ns);
  }
  detail::IntervalUnion inside, waiting;
};

class Summarizer {
 public:
  explicit Summarizer(const Job& job) : job_(job), times_(job.processes.size(), Time(process_capacity)) {
    for (const TracedProcess& process : job.processes) {
      ProcessSummary summary{.rank = process.process.rank};
      const std::int64_t last_ns = process.end ? process.end->at_ns : process.last_ns;
      summary.elapsed_ns = last_ns - process.process.start_ns;
      summary_.processes.push_back(summary);
    }
  }

  void add(const CollectiveCall& call, const CallFigures& figures) {
    Row& row = row_of(call);
    CollectiveSummary& sum = row.summary;
    sum.min_bytes = sum.calls == 0 ? call.bytes : std::min(sum.min_bytes, call.bytes);
    sum.max_bytes = std::max(sum.max_bytes, call.bytes);
    ++sum.calls;
    sum.mean_bytes += static_cast<double>(call.bytes);  // the means are divided by calls at the end
    sum.mean_skew_ns += static_cast<double>(figures.skew_ns());
    sum.mean_last_delay_ns += static_cast<double>(figures.last_delay_ns());
    sum.max_skew_ns = std::max(sum.max_skew_ns, figures.skew_ns());
    for (const Participation& part : call.parts) add(row, part, figures);
  }

  Summary finish(std::uint64_t left_out) {
    for (auto& [key, row] : rows_) summary_.collectives.push_back(finish(row));
    std::stable_sort(summary_.collectives.begin(), summary_.collectives.end(),
                     [](const auto& a, const auto& b) { return a.inside_ns > b.inside_ns; });
    for (std::size_t i = 0; i < times_.size(); ++i) {
      ProcessSummary& process = summary_.processes[i];
      process.inside_ns = times_[i].inside.length_ns();
      process.waiting_ns = times_[i].waiting.length_ns();
      if (process.calls > 0) process.mean_delay_ns /= static_cast<double>(process.calls);
      summary_.elapsed_ns += process.elapsed_ns;
      summary_.inside_ns += process.inside_ns;
      summary_.waiting_ns += process.waiting_ns;
    }
    summary_.left_out = left_out;
    return std::move(summary_);
  }

 private:
  struct Row {
    CollectiveSummary summary;
    std::vector<Time> times;  // by process
  };
  using Key = std::tuple<Kind, Start, std::uint32_t>;

  Row& row_of(const CollectiveCall& call) {
    const Key key{call.kind, call.start, call.communicator};
    if (last_row_ != nullptr && key == last_key_) return *last_row_;
    const auto [found, is_new] = rows_.try_emplace(key);
    Row& row = found->second;
    if (is_new) {
      row.summary.kind = call.kind;
      row.summary.start = call.start;
      row.summary.communicator = call.communicator;
      row.summary.delays.resize(job_.processes.size());
      row.times.assign(job_.processes.size(), Time(collective_capacity));
    }
    last_key_ = key;
    last_row_ = &row;
    return row;
  }

  void add(Row& row, const Participation& part, const CallFigures& figures) {
    const Call& call = part.call;
    ProcessSummary& process = summary_.processes[part.process];
    const std::int64_t delay_ns = call.arrival_ns - figures.first_arrival_ns;
    ++process.calls;
    process.bytes_sent += call.bytes_sent;
    process.bytes_received += call.bytes_received;
    process.mean_delay_ns += static_cast<double>(delay_ns);
    row.summary.bytes_sent += call.bytes_sent;
    ProcessDelay& delay = row.summary.delays[part.process];
    ++delay.calls;
    delay.mean_ns += static_cast<double>(delay_ns);
    delay.max_ns = std::max(delay.max_ns, delay_ns);
    for_each_interval(call, figures.last_arrival_ns, [&](auto begin_ns, auto end_ns, auto waits_until_ns) {
      times_[part.process].add(begin_ns, end_ns, waits_until_ns);
      row.times[part.process].add(begin_ns, end_ns, waits_until_ns);
    });
  }

  static CollectiveSummary finish(Row& row) {
    CollectiveSummary& sum = row.summary;
    const auto calls = static_cast<double>(sum.calls);
    sum.mean_bytes /= calls;
    sum.mean_skew_ns /= calls;
    sum.mean_last_delay_ns /= calls;
    for (const Time& time : row.times) {
      sum.inside_ns += time.inside.length_ns();
      sum.waiting_ns += time.waiting.length_ns();
    }
    for (std::uint32_t process = 0; process < sum.delays.size(); ++process) {
      ProcessDelay& delay = sum.delays[process];
      delay.process = process;
      if (delay.calls > 0) delay.mean_ns /= static_cast<double>(delay.calls);
    }
    std::erase_if(sum.delays, [](const ProcessDelay& delay) { return delay.calls == 0; });
    return std::move(sum);
  }

  const Job& job_;
  Summary summary_;
  std::vector<Time> times_;  // by process
  std::map<Key, Row> rows_;
  Key last_key_;
  Row* last_row_ = nullptr;
};

}  // namespace

CallFigures figures_of(const CollectiveCall& call) {
  CallFigures figures;
  figures.first_arrival_ns = figures.last_arrival_ns = figures.last_exit_ns = call.parts.front().call.arrival_ns;
  for (const Participation& part : call.parts) {
    figures.first_arrival_ns = std::min(figures.first_arrival_ns, part.call.arrival_ns);
    figures.last_arrival_ns = std::max(figures.last_arrival_ns, part.call.arrival_ns);
    if (part.call.completed) figures.last_exit_ns = std::max(figures.last_exit_ns, part.call.exit_ns);
  }
  figures.last_exit_ns = std::max(figures.last_exit_ns, figures.last_arrival_ns);
  for (const Participation& part : call.parts) {
    for_each_interval(part.call, figures.last_arrival_ns, [&](auto begin_ns, auto end_ns, auto waits_until_ns) {
      figures.inside_ns += end_ns - begin_ns;
      figures.waiting_ns += waits_until_ns - begin_ns;
    });
  }
  return figures;
}

Summary summarize(const Job& job, const VisitFigures& also) {
  Summarizer summarizer(job);
  const std::uint64_t left_out = job.for_each_call([&](const CollectiveCall& call) {
    const CallFigures figures = figures_of(call);
    summarizer.add(call, figures);
    if (also) also(call, figures);
  });
  return summarizer.finish(left_out);
}

}  // namespace laxity::trace
