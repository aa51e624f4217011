// laxity timewarp new: writes a folder with a model and its program, for a user to change.
//
// Elsewhere: what the program can do (laxity/cli/timewarp/program.hpp).
#pragma once

#include "laxity/cli/command.hpp"

namespace laxity::cli {

/// Adds `new` to `laxity timewarp`.
void add_new_model(Command& timewarp);

}  // namespace laxity::cli
