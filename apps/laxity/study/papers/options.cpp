// laxity study papers: all studies in their small form, and every claim of the papers.
//
// Elsewhere: the studies and their order (run.hpp).
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/study/papers/run.hpp"
#include "laxity/cli/command.hpp"

namespace laxity::cli {
namespace {

constexpr const char* papers_examples = R"(Examples:
  laxity study papers                                all studies, about half an hour on two cores
  laxity study papers --only faulty,work             some of them
  laxity study papers --output runs/papers           start or resume in this directory

Studies of two hosts emulate them on this machine, which requires root; without it they are left out. SimGrid is needed for
those whose names begin with simulated. Claims that no study of the directory says anything about name what they need.
)";

}  // namespace

void add_papers_study(Command& app, int, const char* const*) {
  auto* command = app.get_subcommand("study")->add_subcommand(
      "papers", "All studies in their small form, and a page with every claim of the papers");
  command->footer(papers_examples);
  auto options = std::make_shared<PapersOptions>();
  command->add_option("--only", options->only, "Studies to run, separated by commas; default: all")
      ->delimiter(',')
      ->one_of(names_of_papers_studies());
  command->add_option("--replicates", options->replicates, "Runs of each treatment; default: those of each study")
      ->at_least(1);
  command->add_duration("--duration", options->duration_s,
                        "Duration of a run in wall time, with four snapshots; default: that of each study",
                        positive_duration);
  command->add_option("--output", options->output, "Directory of the run directories; default runs/papers-<time>");
  command->callback([options] {
    if (const int code = run_papers_study(*options); code != 0) throw Exit{code};
  });
}

}  // namespace laxity::cli
