// laxity clock: synchronizes the clocks of all ranks and says what they, and starts in time on them, are worth.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/launch/mpi_launcher.hpp"
#include "laxity/clock/mpi_accuracy.hpp"
#include "laxity/clock/mpi_program.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  mpirun -n 8 laxity clock              accuracy of the global clock, starts in time, spread of exits
  laxity clock -n 8                     the same; starts mpirun
  laxity clock -n 8 --wrong-clocks      every rank's clock up to 1 s and 50 ppm wrong: what synchronization is worth
  laxity clock -n 8 --everybody         measure offsets although the ranks of a host read one clock
  laxity clock -n 8 --json > clock.json

The error of a clock is exact where ranks read the steady clock of one machine, and measured by messages elsewhere.
)";

struct Words {
  AccuracyOptions accuracy;
  int ranks = 0;
  double window_s = 1, most_offset_s = 1, most_drift_ppm = 50;
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
             report.starts, in_time, report.final_slack_us, report.waiting == Waiting::spin ? "spinning" : "yielding");
  fmt::print("spread of exits: start {:.2f} us (95 %: {:.2f}), MPI_Barrier {:.2f} us (95 %: {:.2f}), ratio {:.2f}\n",
             report.start.median_us, report.start.p95_us, report.barrier.median_us, report.barrier.p95_us,
             report.barrier.median_us > 0 ? report.start.median_us / report.barrier.median_us : 0.0);
}

void print_json(const AccuracyReport& report) {
  nlohmann::ordered_json json{{"processes", report.processes},
                              {"hosts", report.hosts},
                              {"synchronization_s", report.synchronization_s},
                              {"waiting", report.waiting == Waiting::spin ? "spin" : "yield"},
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

void add_options(Command& command, Words& words) {
  AccuracyOptions& accuracy = words.accuracy;
  command.add_option("-n,--processes", words.ranks, "Start mpirun with so many ranks, unless started by it");
  command.add_option("--after", accuracy.moments_s, "Seconds after synchronization at which errors are taken")
      ->capture_default_str();
  command.add_option("--starts", accuracy.starts, "Rounds, each a start in time and an MPI_Barrier")
      ->capture_default_str()
      ->in_range(0, 10'000'000);
  command.add_option("--fit-window", words.window_s, "Seconds over which the offsets of a line are measured")
      ->capture_default_str()
      ->in_range(0.0, 600.0);
  command.add_option("--fit-points", accuracy.sync.fit_points, "Offsets of a line")
      ->capture_default_str()
      ->in_range(1, 1'000'000);
  command.add_flag("--remeasure", accuracy.sync.remeasure_offset, "Measure the offset once more after the line");
  command.add_flag("--everybody", words.everybody, "Measure the ranks that read one clock, too");
  command.add_flag("--wrong-clocks", accuracy.wrong_clocks, "Give every rank another offset and drift");
  command.add_option("--most-offset", words.most_offset_s, "Of wrong clocks, s")->capture_default_str();
  command.add_option("--most-drift", words.most_drift_ppm, "Of wrong clocks, ppm")->capture_default_str();
  command.add_option("--seed", accuracy.seed, "Of wrong clocks")->capture_default_str();
  auto* json = command.add_flag("--json", words.json, "Print JSON");
  command.add_flag("--csv", words.csv, "Print the errors as CSV")->excludes(json);
}

void finish(Words& words) {
  words.accuracy.sync.fit_window_ns = std::llrint(words.window_s * 1e9);
  words.accuracy.sync.propagate = !words.everybody;
  words.accuracy.most_offset_ns = words.most_offset_s * 1e9;
  words.accuracy.most_drift = words.most_drift_ppm * 1e-6;
  std::sort(words.accuracy.moments_s.begin(), words.accuracy.moments_s.end());
  if (!words.accuracy.moments_s.empty() && words.accuracy.moments_s.front() < 0) {
    throw UsageError("--after: must not be negative");
  }
}

}  // namespace

void add_clock(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("clock", "Synchronize clocks over MPI and say how well");
  command->footer(examples);
  auto words = std::make_shared<Words>();
  add_options(*command, *words);
  command->callback([words, argc, argv] {
    finish(*words);
    start_on_ranks(words->ranks, argc, argv);
    const MpiProgram mpi;
    mpi.run([&] {
      const AccuracyReport report = measure_accuracy(MPI_COMM_WORLD, words->accuracy);
      if (mpi.rank() != 0) return;
      if (words->json) {
        print_json(report);
      } else if (words->csv) {
        print_csv(report);
      } else {
        print_table(report, words->accuracy);
      }
      std::fflush(stdout);
    });
  });
}

}  // namespace laxity::cli
