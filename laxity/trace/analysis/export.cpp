#include "laxity/trace/analysis/export.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/metrics/csv_table.hpp"
#include "laxity/trace/analysis/forced_algorithm.hpp"
#include "laxity/trace/analysis/site_names.hpp"

namespace laxity::trace {
namespace {

// The content of a JSON string.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      (result += '\\') += letter;
    } else if (code < 0x20) {
      std::array<char, 8> hex{};
      std::snprintf(hex.data(), hex.size(), "\\u%04x", code);
      result += hex.data();
    } else {
      result += letter;
    }
  }
  return result;
}

std::string place_of(const CallSite& site) {
  std::array<char, 32> offset{};
  std::snprintf(offset.data(), offset.size(), "+0x%llx", static_cast<unsigned long long>(site.offset));
  return site.object + offset.data();
}

// Microseconds with three decimal digits, which represent nanoseconds exactly.
std::string microseconds(std::int64_t time_ns) {
  std::array<char, 32> text{};
  const bool negative = time_ns < 0;
  const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(time_ns) : static_cast<std::uint64_t>(time_ns);
  std::snprintf(text.data(), text.size(), "%s%llu.%03llu", negative ? "-" : "",
                static_cast<unsigned long long>(size / 1000), static_cast<unsigned long long>(size % 1000));
  return text.data();
}

// Writes the events of one job: the pid is the number of the job, the tid is the rank.
class ChromeWriter {
 public:
  ChromeWriter(std::ostream& out, const Job& job, std::size_t number, std::int64_t origin_ns, bool& first)
      : out_(out), job_(job), number_(number), origin_ns_(origin_ns), first_(first) {}

  void write() {
    name("process_name", 0, escaped(job_.processes.front().process.program));
    for (const TracedProcess& process : job_.processes) {
      threads_ = std::max(threads_, process.threads);
      sites_.push_back(site_names(process.sites));
    }
    for (const TracedProcess& process : job_.processes) {
      const std::string rank = "rank " + std::to_string(process.process.rank);
      for (std::uint32_t thread = 0; thread < process.threads; ++thread) {
        name("thread_name", lane(process, thread), thread == 0 ? rank : rank + ", thread " + std::to_string(thread));
      }
    }
    job_.for_each_call([this](const CollectiveCall& call) {
      for (const Participation& part : call.parts) write_call(call, part);
    });
  }

 private:
  // The tid of a thread: the rank, if every process has one thread.
  [[nodiscard]] std::uint64_t lane(const TracedProcess& process, std::uint32_t thread) const {
    return std::uint64_t{process.process.rank} * threads_ + thread;
  }

  void begin(std::string_view phase, std::uint64_t lane) {
    out_ << (first_ ? "\n" : ",\n") << R"({"ph":")" << phase << R"(","pid":)" << number_ << R"(,"tid":)" << lane;
    first_ = false;
  }

  void name(std::string_view what, std::uint64_t lane, std::string_view value) {
    begin("M", lane);
    out_ << R"(,"name":")" << what << R"(","args":{"name":")" << value << "\"}}";
  }

  void slice(std::string_view title, std::uint64_t lane, std::int64_t begin_ns, std::int64_t end_ns,
             const std::string& arguments) {
    begin("X", lane);
    out_ << R"(,"name":")" << title << R"(","ts":)" << microseconds(begin_ns - origin_ns_) << R"(,"dur":)"
         << microseconds(end_ns - begin_ns) << R"(,"args":{)" << arguments << "}}";
  }

  void write_call(const CollectiveCall& joined, const Participation& part) {
    const TracedProcess& trace = job_.processes[part.process];
    const Call& call = part.call;
    const std::string arguments = R"("communicator":")" + job_.communicators[joined.communicator].name +
                                  R"(","sequence":)" + std::to_string(call.sequence) + R"(,"bytes_sent":)" +
                                  std::to_string(call.bytes_sent) + R"(,"bytes_received":)" +
                                  std::to_string(call.bytes_received) + R"(,"root":)" + std::to_string(call.root) +
                                  R"(,"site":")" + escaped(sites_[part.process][call.site]) + R"(","algorithm":")" +
                                  escaped(forced_algorithm(trace, call)) + '"';
    const std::string title(name_of(call.kind));
    const bool blocking = call.start == Start::blocking;
    slice(blocking ? title : title + " (start)", lane(trace, call.thread), call.arrival_ns, call.return_ns, arguments);
    if (!blocking && call.completed) {
      slice(title + " (completion)", lane(trace, call.completing_thread), call.completing_ns, call.exit_ns, arguments);
    }
  }

  std::ostream& out_;
  const Job& job_;
  std::size_t number_;
  std::uint32_t threads_ = 1;                    // of the process with the most
  std::vector<std::vector<std::string>> sites_;  // names, by process
  std::int64_t origin_ns_;
  bool& first_;
};

void write_row(std::ostream& out, const Job& job, std::size_t number, const CollectiveCall& joined,
               const Participation& part, std::int64_t origin_ns) {
  const TracedProcess& trace = job.processes[part.process];
  const Call& call = part.call;
  const Communicator& communicator = trace.communicators[call.communicator];
  const CallSite& site = trace.sites[call.site];
  out << number << ',' << trace.process.rank << ',' << call.thread << ',' << name_of(call.kind) << ','
      << name_of(call.start) << ',' << job.communicators[joined.communicator].name << ',' << communicator.size << ','
      << communicator.remote_size << ',' << communicator.rank << ',' << call.sequence << ',' << call.root << ','
      << (call.in_place ? 1 : 0) << ',' << call.bytes_sent << ',' << call.bytes_received << ','
      << call.arrival_ns - origin_ns << ',' << call.return_ns - origin_ns << ','
      << (call.completed ? call.completing_ns - origin_ns : -1) << ','
      << (call.completed ? call.exit_ns - origin_ns : -1) << ',' << call.completing_thread << ','
      << (call.completed ? 1 : 0) << ',' << (call.failed ? 1 : 0) << ',' << cell(std::string_view(place_of(site)))
      << ',' << cell(std::string_view(site.symbol)) << ',' << cell(std::string_view(forced_algorithm(trace, call)))
      << '\n';
}

}  // namespace

void write_csv(const std::vector<Job>& jobs, std::ostream& out) {
  out << "job,rank,thread,collective,start,communicator,communicator_size,remote_size,rank_in_communicator,sequence,"
         "root,"
         "in_place,bytes_sent,bytes_received,arrival_ns,return_ns,completing_ns,exit_ns,completing_thread,completed,"
         "failed,site,symbol,"
         "algorithm\n";
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    const Job& job = jobs[number];
    job.for_each_call([&](const CollectiveCall& call) {
      for (const Participation& part : call.parts) write_row(out, job, number, call, part, jobs.front().origin_ns());
    });
  }
}

void write_chrome_json(const std::vector<Job>& jobs, std::ostream& out) {
  bool first = true;
  out << R"({"displayTimeUnit":"ns","traceEvents":[)";
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    ChromeWriter(out, jobs[number], number, jobs.front().origin_ns(), first).write();
  }
  out << "\n]}\n";
}

}  // namespace laxity::trace
