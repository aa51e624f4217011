// Small traces for tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/file/reader.hpp"
#include "laxity/trace/file/writer.hpp"

namespace laxity::trace {

/// A temporary folder that is removed with the object.
class Folder {
 public:
  explicit Folder(const char* name)
      : path_(std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string operator/(const char* file) const { return (path_ / file).string(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// The whole file of a process.
struct ProcessTrace : ProcessDefinitions {
  std::vector<Call> calls;
};

inline ProcessTrace read_all(TraceReader reader) {
  ProcessTrace trace;
  for (Call call; reader.next(call);) trace.calls.push_back(call);
  static_cast<ProcessDefinitions&>(trace) = reader.definitions();
  return trace;
}

/// A process without calls in a job of `size` processes. Communicator 0 is the world, call site 0 is app+0x10.
inline ProcessTrace process(std::uint32_t rank, std::uint32_t size) {
  ProcessTrace trace;
  trace.process = {.job = 7,
                   .rank = rank,
                   .size = size,
                   .pid = 100 + rank,
                   .every = 1,
                   .start_ns = 1000,
                   .clock = 5,
                   .host = "host",
                   .mpi = "Some MPI",
                   .program = "/bin/app"};
  trace.communicators = {{.id = 77, .size = size, .remote_size = 0, .rank = rank}};
  trace.sites = {{.object = "/bin/app", .offset = 0x10, .symbol = "main"}};
  return trace;
}

inline Call blocking(Kind kind, std::uint64_t sequence, std::int64_t arrival_ns, std::int64_t exit_ns) {
  Call call;
  call.kind = kind;
  call.sequence = sequence;
  call.arrival_ns = call.completing_ns = arrival_ns;
  call.return_ns = call.exit_ns = exit_ns;
  return call;
}

inline void write(const ProcessTrace& trace, const std::string& path) {
  Writer writer;
  ASSERT_TRUE(writer.create(path.c_str()));
  ASSERT_TRUE(writer.process(trace.process));
  for (const ClockPoint& point : trace.clock) writer.clock(point);
  for (const Communicator& communicator : trace.communicators) writer.communicator(communicator);
  for (const CallSite& site : trace.sites) writer.site(site);
  for (const Call& call : trace.calls) {
    writer.call(call);
    if (call.start == Start::blocking || !call.completed) continue;
    writer.completion({.failed = call.failed,
                       .thread = call.completing_thread,
                       .communicator = call.communicator,
                       .sequence = call.sequence,
                       .completing_ns = call.completing_ns,
                       .exit_ns = call.exit_ns});
  }
  if (trace.end) writer.end(*trace.end);
  writer.close();
}

/// Writes the traces to files, which exist until the end of the test program, and reads them as one job.
inline Job join_processes(const std::vector<ProcessTrace>& processes) {
  static std::deque<Folder> folders;
  const std::string name = "laxity_joined" + std::to_string(folders.size()) + "_";
  const Folder& folder = folders.emplace_back(name.c_str());
  for (std::size_t i = 0; i < processes.size(); ++i) {
    write(processes[i], folder / (std::to_string(i) + ".lxtrace").c_str());
  }
  return read_jobs(folder.path()).at(0);
}

/// A copy of a call that outlives its visit.
struct JoinedCall : CollectiveCall {
  explicit JoinedCall(const CollectiveCall& call) : CollectiveCall(call), copies(call.parts.begin(), call.parts.end()) {
    parts = copies;
  }
  JoinedCall(const JoinedCall& other) : JoinedCall(static_cast<const CollectiveCall&>(other)) {}
  JoinedCall& operator=(const JoinedCall&) = delete;
  ~JoinedCall() = default;
  std::vector<Participation> copies;
};

inline std::vector<JoinedCall> calls_of(const Job& job) {
  std::vector<JoinedCall> calls;
  job.for_each_call([&](const CollectiveCall& call) { calls.emplace_back(call); });
  return calls;
}

inline std::vector<unsigned char> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace laxity::trace
