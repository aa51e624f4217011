// laxity clock: synchronizes the clocks of all ranks and measures their accuracy and that of timed starts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/launch/mpi_launcher.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/clock/mpi_accuracy.hpp"
#include "laxity/clock/mpi_program.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* clock_examples = R"(Examples:
  mpirun -n 8 laxity clock              accuracy of the global clock, timed starts, spread of exit times
  laxity clock -n 8                     the same; starts mpirun
  laxity clock -n 8 --wrong-clocks      inject an error of up to 1 s and 50 ppm into the clock of every rank
  laxity clock -n 8 --everybody         measure every rank, although the ranks of a host read one clock
  laxity clock -n 8 --json > clock.json

The error of a clock is exact if the rank reads the same steady clock as rank 0, and measured by messages otherwise.
)";

struct ClockOptions {
  AccuracyOptions accuracy;
  int ranks = 0;
  double window_s = 1, max_offset_s = 1, max_drift_ppm = 50;
  bool everybody = false;
  bool json = false, csv = false;
};

double worst_at(const AccuracyReport& report, double after_s) {
  double worst_us = 0;
  for (const ClockError& error : report.errors) {
    if (error.after_s >= after_s && error.after_s < after_s + 0.5) {
      worst_us = std::max(worst_us, std::abs(error.error_ns) * 1e-3);
    }
  }
  return worst_us;
}

void print_table(const AccuracyReport& report, const AccuracyOptions& options) {
  const auto in_time = 100.0 * report.starts_in_time / std::max(1, report.starts);
  fmt::print("{} processes on {} host{}, synchronized in {:.2f} s\n\n", report.processes, report.hosts,
             report.hosts == 1 ? "" : "s", report.synchronization_s);
  fmt::print("{:>6}{:>6}{:>18}{:>14}{:>14}{:>18}\n", "rank", "hops", "after sync [s]", "error [us]", "+- [us]",
             "drift error [ppm]");
  for (const ClockError& error : report.errors) {
    fmt::print("{:>6}{:>6}{:>18.1f}{:>14.3f}{:>14.3f}{:>18.4f}\n", error.rank, error.hops, error.after_s,
               error.error_ns * 1e-3, error.uncertainty_ns * 1e-3, (error.drift + error.injected_drift) * 1e6);
  }
  fmt::print("\n");
  for (const double moment_s : options.moments_s) {
    fmt::print("largest error {:.1f} s after synchronization: {:.3f} us\n", moment_s, worst_at(report, moment_s));
  }
  if (report.starts == 0) return;
  fmt::print("starts in time: {} of {} ({:.1f} %), last slack {:.1f} us, waiting by {}\n", report.starts_in_time,
             report.starts, in_time, report.final_slack_us,
             report.waiting == DeadlineWait::spin ? "spinning" : "yielding");
  fmt::print("spread of exits: start {:.2f} us (95 %: {:.2f}), MPI_Barrier {:.2f} us (95 %: {:.2f}), ratio {:.2f}\n",
             report.start.median_us, report.start.p95_us, report.barrier.median_us, report.barrier.p95_us,
             report.barrier.median_us > 0 ? report.start.median_us / report.barrier.median_us : 0.0);
}

void print_json(const AccuracyReport& report) {
  nlohmann::ordered_json json{{"processes", report.processes},
                              {"hosts", report.hosts},
                              {"synchronization_s", report.synchronization_s},
                              {"waiting", report.waiting == DeadlineWait::spin ? "spin" : "yield"},
                              {"starts", report.starts},
                              {"starts_in_time", report.starts_in_time},
                              {"final_slack_us", report.final_slack_us},
                              {"start_spread_median_us", report.start.median_us},
                              {"start_spread_p95_us", report.start.p95_us},
                              {"barrier_spread_median_us", report.barrier.median_us},
                              {"barrier_spread_p95_us", report.barrier.p95_us},
                              {"errors", nlohmann::ordered_json::array()}};
  for (const ClockError& error : report.errors) {
    json["errors"].push_back({{"rank", error.rank},
                              {"hops", error.hops},
                              {"after_s", error.after_s},
                              {"error_us", error.error_ns * 1e-3},
                              {"uncertainty_us", error.uncertainty_ns * 1e-3},
                              {"offset_us", error.offset_ns * 1e-3},
                              {"drift_ppm", error.drift * 1e6},
                              {"injected_drift_ppm", error.injected_drift * 1e6}});
  }
  std::cout << json.dump(2) << '\n';
}

void print_csv(const AccuracyReport& report) {
  std::cout << "rank,hops,after_s,error_us,uncertainty_us,offset_us,drift_ppm,injected_drift_ppm\n";
  for (const ClockError& error : report.errors) {
    fmt::print("{},{},{},{},{},{},{},{}\n", error.rank, error.hops, error.after_s, error.error_ns * 1e-3,
               error.uncertainty_ns * 1e-3, error.offset_ns * 1e-3, error.drift * 1e6, error.injected_drift * 1e6);
  }
}

void add_options(Command& command, ClockOptions& options) {
  AccuracyOptions& accuracy = options.accuracy;
  command
      .add_option("-n,--ranks,--processes", options.ranks, "Number of ranks to start with mpirun, unless started by it")
      ->at_least(1);
  command.add_duration("--after", accuracy.moments_s, "Times after synchronization at which errors are measured")
      ->capture_default_str();
  command.add_option("--starts", accuracy.starts, "Number of rounds, each a timed start and an MPI_Barrier")
      ->capture_default_str()
      ->in_range(0, 10'000'000);
  command
      .add_duration("--fit-window", options.window_s, "Time over which the offsets of a line are measured",
                    {.max_s = 600})
      ->capture_default_str();
  command.add_option("--fit-points", accuracy.sync.fit_points, "Number of bursts that measure the offsets of a line")
      ->capture_default_str()
      ->in_range(1, 1'000'000);
  command.add_flag("--remeasure", accuracy.sync.remeasure_offset, "Measure the offset once more after the line");
  command.add_flag("--everybody", options.everybody, "Measure every rank, even if it reads the same clock as another");
  command.add_flag("--wrong-clocks", accuracy.wrong_clocks,
                   "Inject another offset and drift into the clock of every rank");
  command.add_duration("--max-offset", options.max_offset_s, "Largest injected offset")->capture_default_str();
  command.add_option("--max-drift", options.max_drift_ppm, "Largest injected drift, ppm")->capture_default_str();
  command.add_option("--seed", accuracy.seed, "Seed of the injected errors")->capture_default_str();
  auto* json = command.add_flag("--json", options.json, "Print JSON");
  command.add_flag("--csv", options.csv, "Print the errors as CSV")->excludes(json);
}

void finish(ClockOptions& options) {
  options.accuracy.sync.fit_window_ns = std::llrint(options.window_s * 1e9);
  options.accuracy.sync.propagate = !options.everybody;
  options.accuracy.max_offset_ns = options.max_offset_s * 1e9;
  options.accuracy.max_drift = options.max_drift_ppm * 1e-6;
  std::sort(options.accuracy.moments_s.begin(), options.accuracy.moments_s.end());
}

}  // namespace

void add_clock(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("clock", "Synchronize clocks over MPI and measure their accuracy");
  command->footer(clock_examples);
  auto options = std::make_shared<ClockOptions>();
  add_options(*command, *options);
  command->callback([options, argc, argv] {
    finish(*options);
    start_on_ranks(options->ranks, argc, argv);
    const MpiProgram mpi;
    mpi.run([&] {
      const AccuracyReport report = measure_accuracy(MPI_COMM_WORLD, options->accuracy);
      if (mpi.rank() != 0) return;
      if (options->json) {
        print_json(report);
      } else if (options->csv) {
        print_csv(report);
      } else {
        print_table(report, options->accuracy);
      }
      std::fflush(stdout);
    });
  });
}

}  // namespace laxity::cli
