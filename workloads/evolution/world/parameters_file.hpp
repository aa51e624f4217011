// The parameters of a world as a TOML file: sections, numbers, lists of numbers, comments.
#pragma once

#include <string>
#include <string_view>

#include "workloads/evolution/world/parameters.hpp"

namespace laxity::evolution {

/// All parameters with their meaning as comments.
[[nodiscard]] std::string format_parameters(const Parameters& parameters);

/// Replaces the parameters that the text names. `name` is that of the file, in errors. Throws ParseError with line and column
/// for malformed text, an unknown section or parameter, one that is given twice, and a value out of range.
void parse_parameters(const std::string& name, std::string_view text, Parameters& parameters);

/// Reads a file. Throws also SystemError.
void read_parameters_file(const std::string& path, Parameters& parameters);

}  // namespace laxity::evolution
