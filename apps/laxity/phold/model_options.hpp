// The options that describe a PHOLD model: for `laxity phold` and for what tunes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "laxity/cli/command.hpp"
#include "workloads/phold/phold_run.hpp"

namespace laxity::cli {

/// What CLI11 fills, and the model that is made of it. Lives as long as the subcommand.
class PholdModelOptions {
 public:
  void add(Command& command);

  /// The run of this model on this engine. Throws UsageError, naming the option, for what is out of its range.
  [[nodiscard]] phold::Run run(const timewarp::Engine& engine) const;

 private:
  phold::Options model_;
  std::string shape_ = "continuous", receivers_ = "uniform", state_saving_ = "copy";
  std::int64_t lps_ = 10'000, events_per_lp_ = 20, range_ = 100;
  std::optional<std::int64_t> parts_, until_handled_;
  std::optional<double> mean_delay_, end_time_;
  std::uint64_t seed_ = 1;
};

}  // namespace laxity::cli
