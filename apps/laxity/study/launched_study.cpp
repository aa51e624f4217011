#include "apps/laxity/study/launched_study.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "apps/laxity/color/run.hpp"
#include "laxity/cli/run_name.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {

bool can_launch_ranks() noexcept {
#ifdef LAXITY_HAS_MPI
  return true;
#else
  return false;
#endif
}

std::vector<std::string> launcher_named(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.empty()) throw UsageError("--same, --different, --launcher: name a launcher");
  return words;
}

std::vector<std::string> launcher_of_this_host() {
  return {LAXITY_MPI_LAUNCHER, LAXITY_MPI_RANKS_OPTION, ranks_per_host};
}

std::vector<std::string> launcher_of_emulated_hosts(const std::string& loss) {
  return {LAXITY_TWO_HOSTS, "--ranks", ranks_per_host, "--loss", loss, "--mpiexec", LAXITY_MPI_LAUNCHER};
}

void let_root_launch_ranks() noexcept {
  if (geteuid() == 0)
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) setenv(name, "1", 0);
}

int run_on_launched_ranks(const Launchers& launchers, ColorStudy study) {
  if (!can_launch_ranks())
    throw Error("this study starts MPI ranks: built without MPI; install one (scripts/bootstrap), configure and build");
  if (study.output.empty()) study.output = default_output(study.name);
  let_root_launch_ranks();
  LaunchedRuns runs(std::filesystem::path(study.output) / "ranks", launchers);
  for (const auto& option : runs.configuration()) study.elsewhere.push_back(option);
  study.run_elsewhere = [&](const ColoringRun& planned, const ColorTreatment& treatment) {
    return runs.run(planned, treatment);
  };
  return run_color_study(study);
}

}  // namespace laxity::cli
