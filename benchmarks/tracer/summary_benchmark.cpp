// How fast is a trace summarized, and in how much memory? Writes a trace of CALLS calls of PROCESSES processes (default:
// 10 million of 4), reads its definitions and summarizes it, and prints calls per second of both together.
//
//   summary_benchmark [--smoke] [CALLS [PROCESSES]]
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "laxity/trace/analysis/job.hpp"
#include "laxity/trace/analysis/summary.hpp"
#include "laxity/trace/file/writer.hpp"

namespace {

using namespace laxity::trace;

// Calls of an iterative program: three collectives on two communicators, 20 us apart, with arrivals that differ by rank.
bool write_process(const std::filesystem::path& folder, std::uint32_t rank, std::uint32_t processes,
                   std::uint64_t calls) {
  Writer writer;
  if (!writer.create((folder / (std::to_string(rank) + ".lxtrace")).c_str())) return false;
  Process process;
  process.job = 1;
  process.rank = rank;
  process.size = processes;
  process.clock = 5;
  process.host = process.mpi = process.program = "synthetic";
  writer.process(process);
  for (const std::uint64_t id : {77, 78}) {
    writer.communicator({.id = id, .size = processes, .remote_size = 0, .rank = rank});
  }
  writer.site({.object = "synthetic", .offset = 16, .symbol = {}});
  std::uint64_t sequences[2] = {};
  for (std::uint64_t i = 0; i < calls; ++i) {
    constexpr Kind kinds[] = {Kind::allreduce, Kind::alltoall, Kind::bcast};
    Call call;
    call.kind = kinds[i % 3];
    call.communicator = i % 3 == 2 ? 1 : 0;
    call.sequence = sequences[call.communicator]++;
    call.root = call.kind == Kind::bcast ? 0 : no_root;
    call.bytes_sent = call.bytes_received = std::uint64_t{1024} * processes;
    const auto begin_ns = static_cast<std::int64_t>(i) * 20'000;
    call.arrival_ns = begin_ns + static_cast<std::int64_t>((i * 7919 + rank * 104'729) % 10'000);
    call.return_ns = begin_ns + 11'000 + rank;
    writer.call(call);
  }
  writer.end({.at_ns = static_cast<std::int64_t>(calls) * 20'000, .calls = calls, .recorded = calls});
  writer.close();
  return writer.error() == 0;
}

double max_resident_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::string_view(argv[1]) == "--smoke";
  const std::uint64_t calls = smoke ? 30'000 : argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const auto processes = static_cast<std::uint32_t>(argc > 2 ? std::atoi(argv[2]) : 4);
  const auto folder = std::filesystem::temp_directory_path() / ("laxity_summary_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  bool written = true;
  for (std::uint32_t rank = 0; rank < processes; ++rank) {
    written = written && write_process(folder, rank, processes, calls / processes);
  }
  int code = 1;
  if (written) {
    const double before_mib = max_resident_mib();
    const auto start = std::chrono::steady_clock::now();
    const Job job = read_jobs(folder).at(0);
    const std::chrono::duration<double> definitions = std::chrono::steady_clock::now() - start;
    const Summary summary = summarize(job);
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
    std::uint64_t summarized = 0;
    for (const ProcessSummary& process : summary.processes) summarized += process.calls;
    std::printf(
        "%llu calls of %u processes: %.2f s (%.2f s of it for definitions), %.1f million calls/s, %.0f MiB more\n",
        static_cast<unsigned long long>(summarized), processes, all.count(), definitions.count(),
        static_cast<double>(summarized) / all.count() * 1e-6, max_resident_mib() - before_mib);
    code = summarized == calls / processes * processes ? 0 : 1;
  }
  std::filesystem::remove_all(folder);
  return code;
}
