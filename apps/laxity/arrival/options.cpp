// laxity arrival: measures the collectives of the running MPI under arrival patterns.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/arrival/run.hpp"
#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/launch/mpi_launcher.hpp"
#include "apps/laxity/launch/python_interpreter.hpp"
#include "apps/laxity/trace/export.hpp"
#include "laxity/error.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  mpirun -n 8 laxity arrival                      reduce, allreduce, alltoall; all algorithms, patterns, three sizes
  laxity arrival -n 8 --output runs/first         the same; starts mpirun
  laxity arrival -n 8 --collectives reduce --sizes 8 1k 64k --skew mean:1.5
  laxity arrival -n 8 --skew own                  each algorithm with its own run time as skew: how robust it is
  laxity arrival -n 8 --pattern-file app.txt      also the delays of an application (laxity trace export)
  laxity arrival -n 8 --skew-of runs/app          with the largest skew that these collectives had in a trace

--skew: mean or mean:1.5 (a factor of the mean run time of all algorithms without skew), own or own:0.5 (of each
  algorithm's own run time), or a time as 250us. A pattern file brings its own skew.
An interrupted study goes on where it stopped: give it the same options and --output.
)";

// What CLI11 fills before it is checked.
struct Words {
  std::vector<std::string> collectives{"reduce", "allreduce", "alltoall"};
  std::vector<std::uint64_t> sizes{8, 1024, 65536};
  std::vector<std::string> patterns;
  std::vector<std::string> files;
  std::string skew = "mean", skew_of;
  int ranks = 0;
  bool report = false;
};

void add_options(Command& command, ArrivalStudy& study, Words& words) {
  const auto add = [&](const char* group, const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(group);
  };
  constexpr const char *measured = "Measured", *effort = "Effort", *output = "Output";
  add(measured, "-n,--processes", words.ranks,
      "Start mpirun with this number of ranks, unless mpirun has started this program");
  add(measured, "--collectives", words.collectives, "Which of them")->capture_default_str()->delimiter(',');
  add(measured, "--sizes", words.sizes, "Bytes of the vector or of the block for one process, as 8 1k 1M")
      ->size_with_unit()
      ->delimiter(',')
      ->default_str("8 1k 64k");
  add(measured, "--algorithms", study.algorithms, "Numbers of the library's algorithms (default: all)")->delimiter(',');
  command.add_flag("--aliases", study.with_aliases, "Measure algorithms that do the same as another here, too")
      ->group(measured);
  add(measured, "--patterns", words.patterns, "Arrival patterns beside no_delay (default: all eight)")->delimiter(',');
  add(measured, "--pattern-file", words.files, "Files of further patterns, one delay for each rank");
  auto* skew = add(measured, "--skew", words.skew, "Maximum skew of the patterns")->capture_default_str();
  add(measured, "--skew-of", words.skew_of, "A trace whose largest skew is the skew, or a pattern file")
      ->excludes(skew);
  add(effort, "--repetitions", study.effort.repetitions, "Valid repetitions of a cell")
      ->capture_default_str()
      ->in_range(1, 1'000'000);
  add(effort, "--cell-budget", study.effort.cell_budget_s, "Seconds after which a cell is left with fewer")
      ->capture_default_str();
  add(effort, "--turns", study.effort.turns, "Into which the repetitions of a cell are divided")
      ->capture_default_str()
      ->in_range(1, 1'000'000);
  add(effort, "--tolerance", study.effort.tolerance_us, "us by which a process may arrive after its time")
      ->capture_default_str();
  add(effort, "--tolerance-share", study.effort.tolerance_share, "of the skew, that may be added to it")
      ->capture_default_str();
  add(effort, "--seed", study.seed, "Of the random pattern and of the order of cells")->capture_default_str();
  add(output, "--output", study.output, "Run directory; runs/arrival-<time> if not given");
  command.add_flag("--report", words.report, "Write report.html at the end")->group(output);
  command.add_flag("--quiet", study.quiet, "No progress line and no choices")->group(output);
}

// Of the calls of these collectives in a trace; of the delays in a pattern file.
double largest_skew_s(const std::string& path, const std::vector<collective::Collective>& collectives) {
  if (!std::filesystem::is_directory(path)) return collective::read_pattern_file(path).max_skew_s();
  const auto jobs = trace::read_jobs(trace_files_of(path));
  const trace::Job& job = largest(jobs);
  if (!job.one_clock) throw UsageError(path + ": the processes have different clocks, not synchronized");
  std::int64_t max_ns = 0;
  for (const trace::CollectiveSummary& traced : summarize(job).collectives) {
    const bool is_measured = std::any_of(collectives.begin(), collectives.end(), [&](collective::Collective each) {
      return trace::kind_named(name_of(each)) == traced.kind;
    });
    if (is_measured) max_ns = std::max(max_ns, traced.max_skew_ns);
  }
  if (max_ns == 0)
    throw UsageError(path + ": no call of these collectives, so no skew; name others with --collectives");
  return static_cast<double>(max_ns) * 1e-9;
}

void finish(ArrivalStudy& study, const Words& words) {
  for (const std::string& name : words.collectives) study.collectives.push_back(collective::collective_named(name));
  study.sizes_bytes.assign(words.sizes.begin(), words.sizes.end());
  std::sort(study.sizes_bytes.begin(), study.sizes_bytes.end());
  study.sizes_bytes.erase(std::unique(study.sizes_bytes.begin(), study.sizes_bytes.end()), study.sizes_bytes.end());
  constexpr std::size_t max_bytes = std::size_t{1} << 30;
  if (study.sizes_bytes.empty() || study.sizes_bytes.front() < 1 || study.sizes_bytes.back() > max_bytes) {
    throw UsageError("--sizes: must be 1 byte to 1 GiB");
  }
  study.patterns.assign(collective::delaying_patterns.begin(), collective::delaying_patterns.end());
  if (!words.patterns.empty()) study.patterns.clear();
  for (const std::string& name : words.patterns) {
    const auto pattern = collective::pattern_named(name);
    if (pattern != collective::Pattern::no_delay) study.patterns.push_back(pattern);
  }
  for (const std::string& file : words.files) study.custom_patterns.push_back(collective::read_pattern_file(file));
  study.skew = collective::parse_skew(words.skew);
  if (!words.skew_of.empty()) {
    study.skew = {.kind = collective::SkewPolicy::Kind::given,
                  .seconds = largest_skew_s(words.skew_of, study.collectives)};
  }
  study.effort.turns = std::min(study.effort.turns, study.effort.repetitions);
  if (!(study.effort.cell_budget_s > 0)) throw UsageError("--cell-budget: must be positive");
}

}  // namespace

void add_arrival(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("arrival", "Measure collectives under arrival patterns");
  command->footer(examples);
  auto study = std::make_shared<ArrivalStudy>();
  study->argc = argc;
  study->argv = argv;
  auto words = std::make_shared<Words>();
  add_options(*command, *study, *words);
  command->callback([study, words] {
    finish(*study, *words);
    start_on_ranks(words->ranks, study->argc, study->argv);
    collective::enable_algorithm_forcing();
    std::string directory;
    {
      const MpiProgram mpi;
      mpi.run([&] { directory = run_arrival_study(*study, mpi); });
    }
    if (directory.empty()) return;
    fmt::print("{}\n", directory);
    if (!words->report) return;
    if (const int code = run_python_laxity({"report", directory}); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
