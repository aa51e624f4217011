// laxity arrival: measures collectives of the running MPI under arrival patterns, or simulates them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/arrival/run.hpp"
#include "apps/laxity/arrival/simulate.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/trace/traced_job.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/python_interpreter.hpp"
#include "laxity/error.hpp"
#include "laxity/schedule/machine_file.hpp"
#include "laxity/trace/analysis/summary.hpp"

namespace laxity::cli {
namespace {

constexpr const char* arrival_examples = R"(Examples:
  mpirun -n 8 laxity arrival                      reduce, allreduce, alltoall: all algorithms and patterns, three sizes
  laxity arrival -n 8 --output runs/first         start mpirun
  laxity arrival -n 8 --collectives reduce --sizes 8 1k 64k --skew mean:1.5
  laxity arrival -n 8 --skew own                  the skew of each algorithm is its own run time
  laxity arrival -n 8 --pattern-file app.txt      also the pattern of an application (laxity trace export)
  laxity arrival -n 8 --skew-of runs/app          the skew is the largest skew of these collectives in a trace
  laxity arrival --for runs/app                   the collectives and sizes of a traced program, on as many processes, at
                                                  its median and largest skews
  laxity arrival -n 8 --own                       also the algorithms of laxity
  laxity arrival --simulate schedule -n 1024 --machine paper --collectives reduce,allreduce,alltoall
                                                  the same study on a machine that need not be there
  laxity arrival --simulate smpi -n 64 --collectives reduce
                                                  the same machine, simulated by SimGrid

--skew: mean or mean:1.5 (a multiple of the mean run time of all algorithms without skew), own or own:0.5 (a multiple of
  each algorithm's own run time), or a time such as 250us. A pattern file has its own skew.
--simulate schedule: the messages of Open MPI's algorithms (laxity schedule) under the LogGPS model, so that there is no
  choice of the library: ratios are to the algorithm that is fastest without delay. --machine is a TOML file or paper,
  ethernet, omnipath or infiniband. No MPI is started.
--simulate smpi: the same machine and study with MPI calls on ranks under SimGrid, by SMPI's versions of these algorithms.
  It is slower by far, and simulates machines of one or two levels. It needs libsimgrid-dev and the target smpi_ranks.
An interrupted study continues where it stopped, with the same options and --output.
)";

// The option values as they are on the command line.
struct OptionValues {
  std::vector<std::string> collectives{"reduce", "allreduce", "alltoall"};
  std::vector<std::uint64_t> sizes{8, 1024, 65536};
  std::vector<std::string> patterns;
  std::vector<std::string> files;
  std::string skew = "mean", skew_of;
  double tolerance_s = 1e-6;
  std::string trace;
  int ranks = 0;
  std::string simulator, machine = "paper";
  bool report = false;
};

void add_options(Command& command, ArrivalStudy& study, OptionValues& values) {
  const auto add = [&](const char* group, const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(group);
  };
  constexpr const char *measured = "Measured", *simulated = "Simulated", *effort = "Effort", *output = "Output";
  add(measured, "-n,--ranks,--processes", values.ranks,
      "Number of ranks to start with mpirun, or to simulate; without it, run in the ranks of the launcher")
      ->at_least(1);
  auto* collectives = add(measured, "--collectives", values.collectives, "Collectives to measure")
                          ->capture_default_str()
                          ->delimiter(',');
  auto* sizes =
      add(measured, "--sizes", values.sizes, "Bytes of the vector, or of one process's block, such as 8 1k 1M")
          ->size_with_unit()
          ->delimiter(',')
          ->default_str("8 1k 64k");
  add(measured, "--algorithms", study.algorithms, "Numbers of the algorithms (default: all of the library)")
      ->delimiter(',');
  command.add_flag("--aliases", study.with_aliases, "Also measure algorithms that are equivalent to another one")
      ->group(measured);
  command.add_flag("--own", study.with_own, "Also measure the algorithms of laxity, whose numbers begin with 101")
      ->group(measured);
  std::vector<std::string> pattern_names;
  for (const collective::Pattern pattern : collective::delaying_patterns) pattern_names.emplace_back(name_of(pattern));
  add(measured, "--patterns", values.patterns, "Arrival patterns in addition to no_delay (default: all eight)")
      ->delimiter(',')
      ->suggest(pattern_names);
  add(measured, "--pattern-file", values.files, "Files with further patterns, one delay per rank");
  auto* skew = add(measured, "--skew", values.skew, "Maximum skew of the patterns")->capture_default_str();
  auto* skew_of =
      add(measured, "--skew-of", values.skew_of, "A trace or pattern file whose largest skew is used")->excludes(skew);
  auto* simulate = add(simulated, "--simulate", values.simulator,
                       "Simulate instead of measuring: message schedules, or MPI ranks under SimGrid")
                       ->one_of({"schedule", "smpi"});
  add(simulated, "--machine", values.machine, "A TOML file, or a machine that comes with laxity")
      ->capture_default_str()
      ->needs(simulate)
      ->suggest(schedule::shipped_machine_names());
  add(measured, "--for", values.trace, "A trace whose collectives, sizes, processes and skews are measured")
      ->type_name("DIR")
      ->existing_directory()
      ->excludes(collectives)
      ->excludes(sizes)
      ->excludes(skew)
      ->excludes(skew_of)
      ->excludes(simulate);
  add(effort, "--repetitions", study.effort.repetitions, "Number of valid repetitions of a cell")
      ->capture_default_str()
      ->excludes(simulate)
      ->in_range(1, 1'000'000);
  command
      .add_duration("--cell-budget", study.effort.cell_budget_s,
                    "Time per cell, after which it has fewer repetitions, but not fewer than a choice needs",
                    positive_duration)
      ->group(effort)
      ->excludes(simulate)
      ->capture_default_str();
  add(effort, "--turns", study.effort.turns,
      "Number of turns that share the repetitions of a cell; a choice needs at least 6")
      ->capture_default_str()
      ->excludes(simulate)
      ->in_range(1, 1'000'000);
  command
      .add_duration("--tolerance", values.tolerance_s,
                    "Smallest tolerance: how much later a process may arrive than another, relative to the pattern",
                    {.max_s = 1})
      ->group(effort)
      ->excludes(simulate)
      ->capture_default_str();
  add(effort, "--tolerance-share", study.effort.tolerance_share,
      "The tolerance as a fraction of the skew and the length of the call, if that is larger")
      ->capture_default_str()
      ->excludes(simulate);
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

// Every collective at every size, all with the same skew.
std::vector<ArrivalCase> cases_of(const OptionValues& values) {
  std::vector<collective::Collective> collectives;
  for (const std::string& name : values.collectives) collectives.push_back(collective::collective_named(name));
  std::vector<std::size_t> sizes(values.sizes.begin(), values.sizes.end());
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  constexpr std::size_t max_bytes = std::size_t{1} << 30;
  if (sizes.empty() || sizes.front() < 1 || sizes.back() > max_bytes) {
    throw UsageError("--sizes: must be from 1 byte to 1 GiB");
  }
  collective::SkewPolicy skew = collective::parse_skew(values.skew);
  if (!values.skew_of.empty()) {
    skew = {.kind = collective::SkewPolicy::Kind::given, .seconds = largest_skew_s(values.skew_of, collectives)};
  }
  std::vector<ArrivalCase> cases;
  for (const collective::Collective each : collectives) {
    if (each == collective::Collective::barrier) {
      cases.push_back({each, 0, {skew}});
      continue;
    }
    for (const std::size_t bytes : sizes) cases.push_back({each, bytes, {skew}});
  }
  return cases;
}

// Fills in what is computed from the option values. Throws UsageError for invalid ones.
void complete(ArrivalStudy& study, const OptionValues& values) {
  if (values.trace.empty()) study.cases = cases_of(values);
  study.patterns.assign(collective::delaying_patterns.begin(), collective::delaying_patterns.end());
  if (!values.patterns.empty()) study.patterns.clear();
  for (const std::string& name : values.patterns) {
    const auto pattern = collective::pattern_named(name);
    if (pattern != collective::Pattern::no_delay) study.patterns.push_back(pattern);
  }
  for (const std::string& file : values.files) study.custom_patterns.push_back(collective::read_pattern_file(file));
  study.effort.turns = std::min(study.effort.turns, study.effort.repetitions);
  study.effort.tolerance_us = values.tolerance_s * 1e6;
}

std::string simulate(const ArrivalStudy& study, const OptionValues& values) {
  if (values.ranks == 0) throw UsageError("--simulate: say the number of ranks, as in -n 1024");
  return simulate_arrival_study(study, {values.simulator, values.machine, values.ranks});
}

}  // namespace

void add_arrival(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("arrival", "Measure collectives under arrival patterns");
  command->footer(arrival_examples);
  auto study = std::make_shared<ArrivalStudy>();
  study->argc = argc;
  study->argv = argv;
  auto values = std::make_shared<OptionValues>();
  add_options(*command, *study, *values);
  command->callback([study, values] {
    complete(*study, *values);
    const std::string directory =
        values->simulator.empty() ? run_arrival_study(*study, values->trace, values->ranks) : simulate(*study, *values);
    if (directory.empty()) return;
    fmt::print("{}\n", directory);
    if (!values->report) return;
    if (const int code = run_python_laxity({"report", directory}); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
