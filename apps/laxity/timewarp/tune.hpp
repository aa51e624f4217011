// laxity timewarp tune: picks the parts of the engine for a model by measuring.
#pragma once

#include "apps/laxity/cli/command.hpp"

namespace laxity::cli {

/// Adds `tune`, with a subcommand for each model, to `laxity timewarp`.
void add_timewarp_tuning(Command& timewarp);

}  // namespace laxity::cli
