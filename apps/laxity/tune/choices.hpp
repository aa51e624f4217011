// The choices of `laxity tune`: from measured collectives, and a trace if there is one, to the text that makes an MPI
// follow them.
//
// Elsewhere: the command (tune/options.cpp), running a program under the choices (tune/apply.cpp), how they are made
// (laxity/collective/selection/selection.hpp).
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/collective/rules/openmpi_rules.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::cli {

struct ChoiceOptions {
  std::vector<std::string> runs;  ///< run directories of `laxity arrival`
  std::string mpi;                ///< for which library, as --mpi names it; that which was measured if empty
  std::string mpich_library;      ///< that has the selection of MPICH
  std::string trace;              ///< of the application; none if empty
  std::string traced = collective::application_pattern;  ///< the name of the application's pattern in the tables
};

/// All but the run directories.
void add_choice_options(Command& command, ChoiceOptions& options);

class Choices {
 public:
  /// Reads and chooses. Calls of the trace that no measurement stands for are said on `out`. Throws UsageError if there
  /// is nothing to choose from, or the measurements are of another library; ParseError for a damaged table.
  Choices(ChoiceOptions options, std::ostream& out);

  /// The reasons in words, with what was left out and which algorithms do the same.
  void explain(std::ostream& out) const;
  /// Whether there is a choice for the traced application.
  [[nodiscard]] bool has_traced() const noexcept;
  /// The file that makes the library follow the choices. Throws UsageError for choices that there are not.
  [[nodiscard]] std::string text(collective::ChoiceKind kind) const;

 private:
  ChoiceOptions options_;
  std::string library_;  // and its version, as measured
  std::vector<collective::Selection> selections_;
};

}  // namespace laxity::cli
