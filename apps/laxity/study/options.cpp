// laxity study: what the studies have in common on the command line. Each of them is a folder beside this file.
#include "apps/laxity/cli/subcommands.hpp"
#include "laxity/cli/command.hpp"

namespace laxity::cli {

void add_study(Command& app, int, const char* const*) {
  auto* studies = app.add_subcommand("study", "Many runs that answer a question");
  studies->require_subcommand(1);
  studies->footer(R"(Examples:
  laxity study performance --report               update rates and solution quality in every asynchronicity mode
  laxity study weak-scaling --replay              64 and more virtual workers in one thread
  laxity study faulty --pause 5ms                 one worker is slow, one is stopped
  laxity study timewarp --figures queues          what the pending-event sets do to PHOLD
  laxity study custom --vary n=1,2 -- ./my_program --threads {n}

laxity study NAME --help shows the options of a study, its size and its duration. Every study can be interrupted, and resumed
with its --output.
)");
}

}  // namespace laxity::cli
