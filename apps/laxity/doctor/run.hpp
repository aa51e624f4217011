// The checks of laxity doctor. Each tests one thing that runs depend on by using it.
#pragma once

#include <string>
#include <vector>

namespace laxity::cli {

enum class Health {
  good,
  note,  ///< works, but something optional is missing or slow
  bad,   ///< runs that need this fail
};

/// Result of one check. Each text is one line.
struct Finding {
  std::string subject;
  Health health;
  std::string found;
  std::string advice;  ///< what to do, or empty
};

/// Runs every check, in the order of the report. Takes well under a second and leaves nothing behind. Under an MPI launcher
/// every rank must call it.
std::vector<Finding> examine_host();

}  // namespace laxity::cli
