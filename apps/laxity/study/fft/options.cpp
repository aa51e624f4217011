// laxity study fft: a Fourier transform with each algorithm of its collective.
//
// Elsewhere: the study (run.hpp).
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/study/fft/run.hpp"
#include "laxity/cli/command.hpp"

namespace laxity::cli {
namespace {

constexpr const char* fft_examples = R"(Examples:
  laxity study fft --report                              2 and 4 processes, slabs; about five minutes on two cores
  laxity study fft --processes 4,8 --decomposition slab,pencil --class A --report
  laxity study fft --processes 2 --class S --patterns last_delayed --replicates 3

The transform is that of NAS FT in the classes S (64 x 64 x 64 cells), W (128 x 128 x 32) and A (256 x 256 x 128). A box is
divided into slabs, with exchanges among all processes, or into pencils, with exchanges within rows and columns of a grid
of processes. The report also has the trace and the measured exchanges. To resume an interrupted study, repeat the command
with its --output.
)";

}  // namespace

void add_fft_study(Command& app, int argc, const char* const* argv) {
  auto* command = app.get_subcommand("study")->add_subcommand(
      "fft", "A Fourier transform with each algorithm of its collective, beside what was predicted");
  command->footer(fft_examples);
  auto options = std::make_shared<FftOptions>();
  options->argc = argc;
  options->argv = argv;
  const auto size = "Size";
  command->add_option("--processes,--ranks", options->processes, "Numbers of MPI processes, separated by commas")
      ->delimiter(',')
      ->in_range(2, 1024)
      ->group(size)
      ->capture_default_str();
  command->add_option("--decomposition", options->decompositions, "slab, pencil, or both, separated by a comma")
      ->delimiter(',')
      ->one_of({"slab", "pencil"})
      ->group(size)
      ->capture_default_str();
  command->add_option("--class", options->size, "Size of the box: S, W or A")
      ->one_of({"S", "W", "A"})
      ->group(size)
      ->capture_default_str();
  command->add_option("--steps", options->steps, "Steps of a run; each has an inverse transform")
      ->at_least(1)
      ->group(size)
      ->capture_default_str();
  command->add_option("--replicates", options->replicates, "Runs with each algorithm, in turns")
      ->at_least(1)
      ->group(size)
      ->capture_default_str();
  command->add_option("--patterns", options->patterns, "Arrival patterns in addition to no_delay (default: all eight)")
      ->delimiter(',')
      ->group(size);
  command->add_option("--output", options->output, "Run directory; default runs/fft-<time>");
  command->add_flag("--report", options->report, "Write report.html at the end");
  command->add_flag("--quiet", options->quiet, "No progress line");
  command->callback([options] {
    if (const int code = run_fft_study(*options); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
