// The models that are compared with a theory, for their own subcommands and for `laxity timewarp tune`.
#pragma once

#include <memory>

#include "laxity/cli/timewarp/model.hpp"

namespace laxity::cli {

[[nodiscard]] std::shared_ptr<ModelOptions> epidemic_options();
[[nodiscard]] std::shared_ptr<ModelOptions> pcs_options();
[[nodiscard]] std::shared_ptr<ModelOptions> queueing_options();

}  // namespace laxity::cli
