// laxity arrival: measures collectives of the running MPI under arrival patterns.
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
#include "apps/laxity/trace/traced_job.hpp"
#include "laxity/error.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  mpirun -n 8 laxity arrival                      reduce, allreduce, alltoall: all algorithms and patterns, three sizes
  laxity arrival -n 8 --output runs/first         start mpirun
  laxity arrival -n 8 --collectives reduce --sizes 8 1k 64k --skew mean:1.5
  laxity arrival -n 8 --skew own                  the skew of each algorithm is its own run time
  laxity arrival -n 8 --pattern-file app.txt      also the pattern of an application (laxity trace export)
  laxity arrival -n 8 --skew-of runs/app          the skew is the largest skew of these collectives in a trace

--skew: mean or mean:1.5 (a multiple of the mean run time of all algorithms without skew), own or own:0.5 (a multiple of
  each algorithm's own run time), or a time such as 250us. A pattern file has its own skew.
An interrupted study continues where it stopped, with the same options and --output.
)";

// The option values as they are on the command line.
struct OptionValues {
  std::vector<std::string> collectives{"reduce", "allreduce", "alltoall"};
  std::vector<std::uint64_t> sizes{8, 1024, 65536};
  std::vector<std::string> patterns;
  std::vector<std::string> files;
  std::string skew = "mean", skew_of;
  double tolerance_s = 50e-6;
  int ranks = 0;
  bool report = false;
};

void add_options(Command& command, ArrivalStudy& study, OptionValues& values) {
  const auto add = [&](const char* group, const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(group);
  };
  constexpr const char *measured = "Measured", *effort = "Effort", *output = "Output";
  add(measured, "-n,--ranks,--processes", values.ranks,
      "Number of ranks to start with mpirun; without it, run in the ranks of the launcher")
      ->at_least(1);
  add(measured, "--collectives", values.collectives, "Collectives to measure")->capture_default_str()->delimiter(',');
  add(measured, "--sizes", values.sizes, "Bytes of the vector, or of one process's block, such as 8 1k 1M")
      ->size_with_unit()
      ->delimiter(',')
      ->default_str("8 1k 64k");
  add(measured, "--algorithms", study.algorithms, "The library's numbers of the algorithms (default: all)")
      ->delimiter(',');
  command.add_flag("--aliases", study.with_aliases, "Also measure algorithms that are equivalent to another one")
      ->group(measured);
  std::vector<std::string> pattern_names;
  for (const collective::Pattern pattern : collective::delaying_patterns) pattern_names.emplace_back(name_of(pattern));
  add(measured, "--patterns", values.patterns, "Arrival patterns in addition to no_delay (default: all eight)")
      ->delimiter(',')
      ->suggest(pattern_names);
  add(measured, "--pattern-file", values.files, "Files with further patterns, one delay per rank");
  auto* skew = add(measured, "--skew", values.skew, "Maximum skew of the patterns")->capture_default_str();
  add(measured, "--skew-of", values.skew_of, "A trace or pattern file whose largest skew is used")->excludes(skew);
  add(effort, "--repetitions", study.effort.repetitions, "Number of valid repetitions of a cell")
      ->capture_default_str()
      ->in_range(1, 1'000'000);
  command
      .add_duration("--cell-budget", study.effort.cell_budget_s, "Time per cell, after which it has fewer repetitions",
                    positive_duration)
      ->group(effort)
      ->capture_default_str();
  add(effort, "--turns", study.effort.turns, "Number of turns that share the repetitions of a cell")
      ->capture_default_str()
      ->in_range(1, 1'000'000);
  command
      .add_duration("--tolerance", values.tolerance_s, "Allowed delay of an arrival after its due time", {.max_s = 1})
      ->group(effort)
      ->capture_default_str();
  add(effort, "--tolerance-share", study.effort.tolerance_share, "Fraction of the skew that is added to the tolerance")
      ->capture_default_str();
  add(effort, "--seed", study.seed, "Seed of the random pattern and of the order of cells")->capture_default_str();
  add(output, "--output", study.output, "Run directory (default: runs/arrival-<time>)");
  command.add_flag("--report", values.report, "Write report.html at the end")->group(output);
  command.add_flag("--quiet", study.quiet, "Print neither progress nor choices")->group(output);
}

// The largest skew of these collectives in a trace, or of a pattern file.
double largest_skew_s(const std::string& path, const std::vector<collective::Collective>& collectives) {
  if (!std::filesystem::is_directory(path)) return collective::read_pattern_file(path).max_skew_s();
  std::int64_t max_ns = 0;
  for (const trace::CollectiveSummary& traced : summarize(read_synchronized_job(path)).collectives) {
    const bool is_measured = std::any_of(collectives.begin(), collectives.end(), [&](collective::Collective each) {
      return trace::kind_named(name_of(each)) == traced.kind;
    });
    if (is_measured) max_ns = std::max(max_ns, traced.max_skew_ns);
  }
  if (max_ns == 0) {
    throw UsageError(path + ": no skew, since it has no call of these collectives; choose others with --collectives");
  }
  return static_cast<double>(max_ns) * 1e-9;
}

// Fills in what is computed from the option values. Throws UsageError for invalid ones.
void complete(ArrivalStudy& study, const OptionValues& values) {
  for (const std::string& name : values.collectives) study.collectives.push_back(collective::collective_named(name));
  study.sizes_bytes.assign(values.sizes.begin(), values.sizes.end());
  std::sort(study.sizes_bytes.begin(), study.sizes_bytes.end());
  study.sizes_bytes.erase(std::unique(study.sizes_bytes.begin(), study.sizes_bytes.end()), study.sizes_bytes.end());
  constexpr std::size_t max_bytes = std::size_t{1} << 30;
  if (study.sizes_bytes.empty() || study.sizes_bytes.front() < 1 || study.sizes_bytes.back() > max_bytes) {
    throw UsageError("--sizes: must be from 1 byte to 1 GiB");
  }
  study.patterns.assign(collective::delaying_patterns.begin(), collective::delaying_patterns.end());
  if (!values.patterns.empty()) study.patterns.clear();
  for (const std::string& name : values.patterns) {
    const auto pattern = collective::pattern_named(name);
    if (pattern != collective::Pattern::no_delay) study.patterns.push_back(pattern);
  }
  for (const std::string& file : values.files) study.custom_patterns.push_back(collective::read_pattern_file(file));
  study.skew = collective::parse_skew(values.skew);
  if (!values.skew_of.empty()) {
    study.skew = {.kind = collective::SkewPolicy::Kind::given,
                  .seconds = largest_skew_s(values.skew_of, study.collectives)};
  }
  study.effort.turns = std::min(study.effort.turns, study.effort.repetitions);
  study.effort.tolerance_us = values.tolerance_s * 1e6;
}

}  // namespace

void add_arrival(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("arrival", "Measure collectives under arrival patterns");
  command->footer(examples);
  auto study = std::make_shared<ArrivalStudy>();
  study->argc = argc;
  study->argv = argv;
  auto values = std::make_shared<OptionValues>();
  add_options(*command, *study, *values);
  command->callback([study, values] {
    complete(*study, *values);
    start_on_ranks(values->ranks, study->argc, study->argv);
    collective::enable_algorithm_forcing();
    std::string directory;
    {
      const MpiProgram mpi;
      mpi.run([&] { directory = run_arrival_study(*study, mpi); });
    }
    if (directory.empty()) return;
    fmt::print("{}\n", directory);
    if (!values->report) return;
    if (const int code = run_python_laxity({"report", directory}); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
