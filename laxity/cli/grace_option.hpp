// --grace, the option of every subcommand that runs a team: how long workers may take to end (TeamOptions::grace).
#pragma once

#include <chrono>
#include <string>

#include "laxity/cli/command.hpp"

namespace laxity::cli {

/// Adds --grace; `seconds` holds its default.
void add_grace(Command& command, double& seconds, const std::string& group);

[[nodiscard]] std::chrono::milliseconds grace_period(double seconds);

}  // namespace laxity::cli
