// laxity evolve compete: which of two genomes leaves more descendants.
#pragma once

#include "laxity/cli/command.hpp"

namespace laxity::cli {

void add_compete(Command& evolve);

}  // namespace laxity::cli
