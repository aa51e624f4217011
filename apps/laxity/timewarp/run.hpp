// laxity timewarp tune: measures short runs of a model with different parts of the engine and recommends the fastest.
//
// Elsewhere: the method (laxity/timewarp/tuning.hpp).
#pragma once

#include "laxity/cli/command.hpp"

namespace laxity::cli {

/// Adds `tune`, with a subcommand for each model, to `laxity timewarp`.
void add_timewarp_tuning(Command& timewarp);

}  // namespace laxity::cli
