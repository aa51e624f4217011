#include "apps/laxity/phold/model_options.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/engine_options.hpp"

namespace laxity::cli {

void PholdModelOptions::add(Command& command) {
  const auto* const group = "Model";
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command.add_option(name, value, what)->group(group);
  };
  add("--lps", lps_, "Logical processes")->capture_default_str();
  add("--events-per-lp", events_per_lp_, "Events of each logical process at the start")->capture_default_str();
  add("--shape", shape_, "continuous (exponential delays) or batch (whole times, most delays the minimum)")
      ->capture_default_str()
      ->one_of({"continuous", "batch"});
  add("--receivers", receivers_, "uniform, range or remote")
      ->capture_default_str()
      ->one_of({"uniform", "range", "remote"});
  add("--range", range_, "Width of the range of --receivers range")->capture_default_str();
  add("--remote", model_.remote, "Probability of another part, for --receivers remote")->capture_default_str();
  add("--parts", parts_, "Parts of --receivers remote (default: the number of workers, at least 2)");
  add("--mean-delay", mean_delay_, "Mean of the exponential part of a delay (default: 10, batch 0.2)");
  add("--min-delay", model_.min_delay, "Minimum delay of an event; PHOLD's lookahead")->capture_default_str();
  add("--end-time", end_time_, "End of the simulated time (default: 500, batch 50)");
  add("--until-handled", until_handled_, "End the run when a logical process has handled this number of events");
  add("--state-saving", state_saving_,
      "How states are restored: copy (before each event), periodic (copies and coast forward), reverse (handlers)")
      ->capture_default_str()
      ->suggest({"copy", "periodic", "reverse"});
  add("--seed", seed_, "Seed; replicates use the following ones")->capture_default_str();
}

phold::Run PholdModelOptions::run(const timewarp::Engine& engine) const {
  const std::map<std::string, phold::Receivers> receivers{
      {"uniform", phold::Receivers::uniform}, {"range", phold::Receivers::range}, {"remote", phold::Receivers::remote}};
  constexpr std::int64_t max_lps = std::int64_t{1} << 26;
  const bool batch = shape_ == "batch";
  phold::Run run;
  run.shape = batch ? phold::Shape::batch : phold::Shape::continuous;
  run.model = model_;
  run.seed = seed_;
  run.engine = engine;
  run.state_saving = named("--state-saving", state_saving_, timewarp::all_state_savings);
  run.model.logical_processes = static_cast<timewarp::LpId>(in_range("--lps", lps_, 1, max_lps));
  run.model.events_per_lp = static_cast<int>(in_range("--events-per-lp", events_per_lp_, 1, 1 << 20));
  run.model.receivers = receivers.at(receivers_);
  run.model.range = static_cast<timewarp::LpId>(in_range("--range", range_, 1, max_lps));
  run.model.mean_delay = mean_delay_.value_or(batch ? 0.2 : 10);
  run.end_time = end_time_.value_or(batch ? 50 : 500);
  if (until_handled_) {
    constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
    run.model.until_handled = static_cast<std::uint64_t>(in_range("--until-handled", *until_handled_, 1, max));
  }
  const std::int64_t parts = parts_.value_or(std::min(lps_, std::max<std::int64_t>(2, engine.workers())));
  run.model.parts = static_cast<timewarp::LpId>(in_range("--parts", parts, 1, lps_));
  return run;
}

}  // namespace laxity::cli
