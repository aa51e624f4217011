// The run directory that a study writes when none is named.
#pragma once

#include <string>

namespace laxity::cli {

/// "runs/<name>-20210523T100251Z": the study's name and this moment.
[[nodiscard]] std::string default_output(const std::string& name);

}  // namespace laxity::cli
