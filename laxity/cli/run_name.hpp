// The run directory of a study whose options name none.
#pragma once

#include <string>

namespace laxity::cli {

/// "runs/<name>-20210523T100251Z", with the present time.
[[nodiscard]] std::string default_output(const std::string& name);

}  // namespace laxity::cli
