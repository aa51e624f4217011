// The checks of laxity doctor: each tries one thing that runs depend on.
#pragma once

#include <string>
#include <vector>

namespace laxity::cli {

enum class Health {
  good,
  note,  ///< works, but something is absent or slower than it could be
  bad,   ///< runs that need it fail
};

/// What one check found. The texts are one line each.
struct Finding {
  std::string subject;
  Health health;
  std::string found;
  std::string advice;  ///< what to do; empty when there is nothing to do
};

/// Runs every check, in the order in which a reader would ask. Takes well under a second; leaves nothing behind.
std::vector<Finding> examine_machine();

}  // namespace laxity::cli
