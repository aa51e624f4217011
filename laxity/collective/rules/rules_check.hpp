// Reads a file of rules or settings that makes an MPI library choose algorithms, and reports what is wrong with it.
//
// The libraries report little: Open MPI ignores a rules file that is missing, truncated or of another version, and
// exits with code 0; MPICH aborts in the first collective that its JSON file does not mention. An *error* makes the
// library ignore or refuse the file. A *warning* is about text that has another effect than its author is likely to
// expect.
//
// The kind of a file is detected from its content.
// Errors: any input gives a result or an error with line and column. Memory is linear in the size of the text.
// Threads: pure functions.
// Elsewhere: the rules of Open MPI (openmpi_rules.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/collective/rules/openmpi_rules.hpp"

namespace laxity::collective {

enum class RulesKind {
  openmpi_version_1,
  openmpi_version_2,
  openmpi_json,
  mpich_json,
  mpich_environment,  ///< lines MPIR_CVAR_...=value
  intel_environment,  ///< lines I_MPI_ADJUST_...=value
};

/// "a rules file of Open MPI, version 1"
[[nodiscard]] std::string_view name_of(RulesKind kind) noexcept;

struct RulesWarning {
  long line = 1;
  long column = 1;
  std::string what;
};

struct RulesCheck {
  RulesKind kind = RulesKind::openmpi_version_1;
  OpenMpiRules rules;                                         ///< of Open MPI's files
  std::vector<std::pair<std::string, std::string>> settings;  ///< names and values, of environment variables
  std::vector<RulesWarning> warnings;                         ///< in the order of the file; the first hundred
};

/// `file` is the name in errors. Throws ParseError for the first error.
[[nodiscard]] RulesCheck check_rules(std::string_view text, const std::string& file);

/// Also throws SystemError if the file cannot be read.
[[nodiscard]] RulesCheck check_rules_file(const std::string& path);

}  // namespace laxity::collective
