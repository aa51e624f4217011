// Refusing an option by its name.
#pragma once

#include <sstream>
#include <string>

#include "laxity/error.hpp"

namespace laxity::models {

/// Throws UsageError("--option value: rule") unless it holds.
template <class Value>
void require(bool holds, const char* option, const Value& value, const std::string& rule) {
  if (holds) return;
  std::ostringstream line;
  line << option << ' ' << value << ": " << rule;
  throw UsageError(line.str());
}

}  // namespace laxity::models
