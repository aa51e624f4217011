// The choices that `laxity arrival` prints at its end.
#pragma once

#include <filesystem>

namespace laxity::cli {

/// Prints the choices that follow from the measurements in a run directory.
void print_choices_of(const std::filesystem::path& directory);

}  // namespace laxity::cli
