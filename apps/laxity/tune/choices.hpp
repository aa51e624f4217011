// The choices of `laxity tune`: from the measurements of collectives, and optionally a trace, to the text that makes an MPI
// library follow them.
//
// Elsewhere: the selection itself (laxity/collective/selection/selection.hpp), the output (tune/print.hpp).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "laxity/collective/patterns/pattern_file.hpp"
#include "laxity/collective/rules/openmpi_rules.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::cli {

struct ChoiceOptions {
  std::vector<std::string> runs;  ///< run directories of `laxity arrival`
  std::string mpi;                ///< target library and form, one of choice_targets(); the measured one if empty
  std::string mpich_library;      ///< libmpich.so or a file with MPICH's own selection; that of this program if empty
  std::string trace;              ///< of the application; none if empty
  std::string traced = collective::application_pattern;  ///< name of the application's pattern in the tables
};

/// The values of ChoiceOptions::mpi.
[[nodiscard]] std::vector<std::string> choice_targets();

class Choices {
 public:
  /// Reads the measurements, chooses, and prints the choices and the calls of the trace without measurements. Throws
  /// UsageError if there are no valid measurements, or if they are of another library than the target; ParseError for a
  /// malformed table.
  Choices(ChoiceOptions options, std::ostream& out);

  /// Whether choices of this kind could be made.
  [[nodiscard]] bool was_measured(collective::ChoiceKind kind) const noexcept;
  /// Whether some size has another choice than the library's own.
  [[nodiscard]] bool chooses(collective::ChoiceKind kind) const noexcept;
  /// The file that makes the library follow the choices. Throws UsageError if no choice of this kind was measured.
  [[nodiscard]] std::string text(collective::ChoiceKind kind) const;

 private:
  ChoiceOptions options_;
  std::string library_;  // name and version of the measured library
  std::vector<collective::Selection> selections_;
};

}  // namespace laxity::cli
