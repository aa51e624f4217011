// Reads a file that is to make an MPI choose algorithms, and says what is wrong with it.
//
// The libraries do not: Open MPI ignores a rules file that is missing, cut off or of another version and ends with exit
// code 0; some words in one mean something else than they seem to; MPICH stops at the first collective that its JSON file
// does not mention. A *fault* makes the library ignore or refuse the file; a *trap* makes it do something else than its
// author meant.
//
// Which kind of file it is, is told from its content.
// Errors: any bytes give a result or an error with line and column, in memory linear in the text.
// Threads: pure functions.
// Elsewhere: the rules of Open MPI (openmpi_rules.hpp).
#pragma once

#include <string>
#include <string_view>
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

struct Trap {
  long line = 1;
  long column = 1;
  std::string what;
};

struct RulesCheck {
  RulesKind kind = RulesKind::openmpi_version_1;
  OpenMpiRules rules;       ///< of a file of Open MPI
  std::vector<Trap> traps;  ///< in the order of the file; the first hundred
};

/// `file` stands in errors. Throws ParseError: the first fault.
[[nodiscard]] RulesCheck check_rules(std::string_view text, const std::string& file);

/// Throws SystemError, too, if the file cannot be read.
[[nodiscard]] RulesCheck check_rules_file(const std::string& path);

}  // namespace laxity::collective
