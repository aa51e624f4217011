#include "apps/laxity/arrival/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "apps/laxity/arrival/choice_tables.hpp"
#include "apps/laxity/arrival/study_tables.hpp"
#include "apps/laxity/launch/host_disturbances.hpp"
#include "apps/laxity/launch/mpi_launcher.hpp"
#include "apps/laxity/trace/traced_job.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/clock/mpi_program.hpp"
#include "laxity/collective/aliases.hpp"
#include "laxity/collective/benchmark/arrival_benchmark.hpp"
#include "laxity/collective/own_algorithms.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity::cli {
namespace {

using collective::Algorithm;
using collective::ArrivalBlock;
using collective::BlockResult;
using collective::Collective;
using collective::LibraryAlgorithms;

// Removes algorithms that do not support this number of processes, and aliases of other algorithms.
void leave_out(PlannedBlock& planned, const LibraryAlgorithms& library, int processes, bool with_aliases) {
  ArrivalBlock& block = planned.block;
  const std::vector<Algorithm> all = block.algorithms;
  const auto same = aliases(library.library(), block.collective, all, processes, block.bytes);
  std::erase_if(block.algorithms, [&](const Algorithm& algorithm) {
    const bool usable = is_usable(library.library(), library.version(), block.collective, algorithm, processes);
    const bool alias = !with_aliases && std::any_of(same.begin(), same.end(), [&](const collective::Alias& one) {
      // An alias is removed only if its equivalent is measured.
      return one.algorithm == algorithm && std::find(all.begin(), all.end(), one.runs) != all.end();
    });
    if (!usable || alias) planned.left_out.emplace_back(algorithm, usable ? "alias" : "refused");
    return !usable || alias;
  });
}

// The algorithms to be measured: those that were asked for, and always the library's own choice.
std::vector<Algorithm> algorithms_of(const ArrivalStudy& study, const LibraryAlgorithms& library,
                                     Collective collective) {
  std::vector<Algorithm> algorithms = library.of(collective);
  const std::vector<Algorithm> own = collective::own_algorithms(collective);
  algorithms.insert(algorithms.end(), own.begin(), own.end());
  if (study.algorithms.empty() && !study.with_own)
    std::erase_if(algorithms, [](const Algorithm& algorithm) { return collective::is_own(algorithm.id); });
  if (!study.algorithms.empty()) {
    std::erase_if(algorithms, [&](const Algorithm& algorithm) {
      return std::find(study.algorithms.begin(), study.algorithms.end(), algorithm.id) == study.algorithms.end();
    });
  }
  if (algorithms.empty()) {
    throw UsageError(fmt::format("{} {} has no algorithms with these numbers for {}", name_of(library.library()),
                                 library.version(), name_of(collective)));
  }
  algorithms.insert(algorithms.begin(), {0, "library"});
  return algorithms;
}

std::vector<PlannedBlock> blocks_of(const ArrivalStudy& study, const LibraryAlgorithms& library, int processes) {
  std::vector<PlannedBlock> blocks;
  for (const ArrivalCase& each : study.cases) {
    PlannedBlock& planned = blocks.emplace_back();
    planned.block = {.collective = each.collective,
                     .bytes = each.bytes,
                     .algorithms = algorithms_of(study, library, each.collective),
                     .patterns = study.patterns,
                     .custom_patterns = study.custom_patterns,
                     .skews = each.skews,
                     .seed = study.seed};
    leave_out(planned, library, processes, study.with_aliases);
  }
  return blocks;
}

Configuration effort_of(const collective::ArrivalEffort& effort) {
  return {{"repetitions", std::int64_t{effort.repetitions}},
          {"cell_budget_s", effort.cell_budget_s},
          {"turns", std::int64_t{effort.turns}},
          {"tolerance_us", effort.tolerance_us},
          {"tolerance_share", effort.tolerance_share}};
}

void write_application(const std::filesystem::path& directory, const ArrivalStudy& study, int processes) {
  std::filesystem::remove(directory / tables::application.file);
  TableWriter<tables::application> table(directory);
  for (const TracedSize& size : study.application) {
    if (size.processes != processes) continue;
    const auto run = std::find_if(study.cases.begin(), study.cases.end(), [&](const ArrivalCase& each) {
      return each.collective == size.collective && each.bytes == size.measured_bytes;
    });
    table.add(column<"run">(run - study.cases.begin()), column<"collective">(name_of(size.collective)),
              column<"bytes">(size.bytes), column<"calls">(size.calls), column<"start_up_calls">(size.start_up_calls),
              column<"median_skew_us">(size.median_skew_us), column<"max_skew_us">(size.max_skew_us),
              column<"measured_bytes">(size.measured_bytes));
  }
  table.flush();
}

void allgather_in_world(std::span<const std::byte> mine, std::span<std::byte> of_all) {
  const auto bytes = static_cast<int>(mine.size());
  mpi::check("MPI_Allgather",
             MPI_Allgather(mine.data(), bytes, MPI_BYTE, of_all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD));
}

bool is_done_everywhere(const std::optional<ArrivalTables>& tables, ArrivalTables* here, std::int64_t run) {
  int done = tables && here->directory().runs_done().contains(run) ? 1 : 0;
  mpi::check("MPI_Bcast", MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD));
  return done != 0;
}

// The sizes of rank 0, on all ranks.
std::vector<TracedSize> share_sizes(std::vector<TracedSize> sizes) {
  static_assert(std::is_trivially_copyable_v<TracedSize>);
  auto count = static_cast<int>(sizes.size());
  mpi::check("MPI_Bcast", MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD));
  sizes.resize(static_cast<std::size_t>(count));
  mpi::check("MPI_Bcast",
             MPI_Bcast(sizes.data(), count * static_cast<int>(sizeof(TracedSize)), MPI_BYTE, 0, MPI_COMM_WORLD));
  return sizes;
}

// The measured sizes of an application on communicators of `processes` processes, each at its median and its largest skew.
std::vector<ArrivalCase> cases_of(const std::vector<TracedSize>& application, int processes) {
  std::vector<ArrivalCase> cases;
  for (const TracedSize& size : application) {
    if (size.processes != processes || size.measured_bytes != size.bytes) continue;
    ArrivalCase& each = cases.emplace_back(ArrivalCase{size.collective, size.bytes, {}});
    for (const double skew_us : {size.median_skew_us, size.max_skew_us}) {
      const collective::SkewPolicy skew{.kind = collective::SkewPolicy::Kind::given, .seconds = skew_us * 1e-6};
      if (skew_us > 0 && (each.skews.empty() || each.skews.front() != skew)) each.skews.push_back(skew);
    }
  }
  return cases;
}

// Takes the cases of a study from a trace. Collective; rank 0 reads and prints.
void follow_trace(ArrivalStudy& study, const std::string& trace, const MpiProgram& mpi) {
  TracedApplication application;
  if (mpi.rank() == 0) application = traced_application(read_synchronized_job(trace));
  study.application = share_sizes(application.sizes);
  study.cases = cases_of(study.application, mpi.size());
  if (study.cases.empty()) {
    throw UsageError(fmt::format("{}: no call on {} processes that can be measured; most calls are on {} processes",
                                 trace, mpi.size(), most_frequent_processes(study.application)));
  }
  if (mpi.rank() == 0 && !study.quiet) print_sizes(application, mpi.size(), trace, std::cout);
}

// Measures the missing runs on all ranks. Empty but on rank 0.
std::string run_on_ranks(const ArrivalStudy& study, const MpiProgram& mpi) {
  const LibraryAlgorithms library;
  if (const auto obstacle = library.obstacle()) throw Error(*obstacle);
  const auto blocks = blocks_of(study, library, mpi.size());
  const int hosts = count_hosts(MPI_COMM_WORLD);
  std::optional<ArrivalTables> tables;
  const GlobalClock global = synchronized_steady_clock(MPI_COMM_WORLD);
  collective::ArrivalBenchmark benchmark(MPI_COMM_WORLD, global, library);
  const bool oversubscribed = benchmark.waiting() == DeadlineWait::yield;
  if (mpi.rank() == 0) {
    tables.emplace(study, ArrivalSource{.library = std::string(name_of(library.library())),
                                        .version = library.version(),
                                        .processes = mpi.size(),
                                        .hosts = hosts,
                                        .oversubscribed = oversubscribed,
                                        .configuration = effort_of(study.effort)});
  }
  ProgressLine line(study.quiet || mpi.rank() != 0);
  const auto all = static_cast<double>(blocks.size());
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    const auto run = static_cast<std::int64_t>(at);
    if (is_done_everywhere(tables, tables ? &*tables : nullptr, run)) continue;
    const ArrivalBlock& block = blocks[at].block;
    const std::string what = fmt::format("{} of {} bytes", name_of(block.collective), block.bytes);
    const HostDisturbances disturbances(mpi.rank(), mpi.size(), allgather_in_world);
    const std::int64_t begin_ns = SteadyClock{}.now_ns();
    const BlockResult result = benchmark.measure(
        block, study.effort, [&](double done) { line.show((static_cast<double>(at) + done) / all, what); });
    const double seconds = static_cast<double>(SteadyClock{}.now_ns() - begin_ns) * 1e-9;
    const std::vector<Disturbance> of_hosts = disturbances.since_begin();
    if (tables) tables->add(run, blocks[at], result, seconds, of_hosts);
  }
  line.clear();
  if (!tables) return {};
  const std::filesystem::path path = tables->directory().path();
  if (!study.application.empty()) write_application(path, study, mpi.size());
  conclude(path, study.quiet);
  tables->directory().finish("done");
  return path.string();
}

}  // namespace

std::string run_arrival_study(const ArrivalStudy& asked, const std::string& trace, int ranks) {
  ArrivalStudy study = asked;
  if (!trace.empty() && ranks == 0 && !started_by_mpi_launcher()) {
    ranks = most_frequent_processes(traced_application(read_synchronized_job(trace)).sizes);
  }
  start_on_ranks(ranks, study.argc, study.argv);
  collective::enable_algorithm_forcing();
  std::string directory;
  const MpiProgram mpi;
  mpi.run([&] {
    if (!trace.empty()) follow_trace(study, trace, mpi);
    directory = run_on_ranks(study, mpi);
  });
  return directory;
}

}  // namespace laxity::cli
