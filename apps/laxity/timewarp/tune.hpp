// laxity timewarp tune: picks the parts of the engine for a model by measuring.
#pragma once

#include <CLI/CLI.hpp>

namespace laxity::cli {

/// Adds `tune`, with a subcommand for each model, to `laxity timewarp`.
void add_timewarp_tuning(CLI::App& timewarp);

}  // namespace laxity::cli
