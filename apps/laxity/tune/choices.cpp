#include "apps/laxity/tune/choices.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <utility>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/trace/traced_job.hpp"
#include "apps/laxity/tune/print.hpp"
#include "laxity/collective/rules/environment_rules.hpp"
#include "laxity/collective/rules/mpich_selection.hpp"
#include "laxity/collective/selection/arrival_table.hpp"
#include "laxity/error.hpp"
#include "laxity/trace/analysis/conditions.hpp"
#include "laxity/version.hpp"

namespace laxity::cli {
namespace {

enum class Target { openmpi, openmpi5, openmpi6, mpich, mpich_json, intel };
constexpr std::array<const char*, 6> targets{"openmpi", "openmpi5", "openmpi6", "mpich", "mpich-json", "intel"};

// `library` is the measured library with its version: "Open MPI 4.1.4".
Target target_of(const std::string& name, const std::string& library) {
  if (name.empty()) {
    if (library.starts_with("MPICH")) return Target::mpich;
    if (library.starts_with("Open MPI 5.")) return Target::openmpi5;
    return Target::openmpi;
  }
  std::size_t place = 0;
  while (targets[place] != name) ++place;  // the command line accepts only these names
  return static_cast<Target>(place);
}

// The library whose algorithms the target uses; empty if any.
std::string library_of(Target target) {
  if (target == Target::mpich || target == Target::mpich_json) return "MPICH";
  return target == Target::intel ? "" : "Open MPI";
}

std::vector<collective::Measurement> read_all(const ChoiceOptions& options) {
  std::vector<collective::Measurement> cells;
  for (const std::string& run : options.runs) {
    for (auto& cell : collective::read_arrival_table(run)) {
      const std::string wanted = library_of(target_of(options.mpi, cell.library));
      if (!cell.library.starts_with(wanted)) {
        std::string why = run;
        why.append(" was measured with ").append(cell.library).append(", whose algorithms are not those of ");
        throw UsageError(why.append(wanted).append("; measure with the library that is to be tuned"));
      }
      cells.push_back(std::move(cell));
    }
  }
  if (cells.empty()) throw UsageError("the run directories contain no valid measurement");
  return cells;
}

// The application's calls by nearest measured condition; empty without a trace.
std::vector<collective::ApplicationCalls> application_calls(const ChoiceOptions& options,
                                                            const std::vector<collective::Measurement>& cells,
                                                            std::ostream& out) {
  if (options.trace.empty()) return {};
  const auto found = trace::conditions_of(read_synchronized_job(options.trace), cells);
  for (const std::string& sentence : found.left_out) out << sentence << '\n';
  if (found.calls.empty()) {
    throw UsageError(options.trace + ": no call of the application was measured; measure its collectives and sizes");
  }
  return found.calls;
}

}  // namespace

std::vector<std::string> choice_targets() { return {targets.begin(), targets.end()}; }

Choices::Choices(ChoiceOptions options, std::ostream& out) : options_(std::move(options)) {
  if (options_.runs.empty()) throw UsageError("expected run directories of `laxity arrival`");
  if (options_.mpi == "mpich-json" && options_.mpich_library.empty()) {
    throw UsageError(
        "--mpi mpich-json inserts choices into MPICH's own selection: expected --mpich-library libmpich.so");
  }
  const auto cells = read_all(options_);
  library_ = cells.front().library;
  auto selections = collective::select_algorithms(cells, options_.traced, application_calls(options_, cells, out));
  if (selections.made.empty()) {
    throw UsageError(selections.undecided.empty() ? "only the library's own choice was measured"
                                                  : selections.undecided.front());
  }
  print_choices(selections, library_, out);
  selections_ = std::move(selections.made);
}

bool Choices::has_traced() const noexcept {
  return std::any_of(selections_.begin(), selections_.end(), [](const auto& one) { return one.traced.has_value(); });
}

std::string Choices::text(collective::ChoiceKind kind) const {
  using collective::OpenMpiForm;
  auto selections = selections_;
  // The traced choices apply to the application's calls only; the library's own choice remains for others.
  if (kind == collective::ChoiceKind::traced && has_traced()) {
    std::erase_if(selections, [](const auto& one) { return !one.traced; });
  }
  const std::string comment = "written by laxity " LAXITY_VERSION;
  switch (target_of(options_.mpi, library_)) {
    case Target::openmpi:
      return format_rules(openmpi_rules(selections, kind), OpenMpiForm::version_1, comment);
    case Target::openmpi5:
      return format_rules(openmpi_rules(selections, kind), OpenMpiForm::version_2, comment);
    case Target::openmpi6:
      return format_rules(openmpi_rules(selections, kind), OpenMpiForm::json);
    case Target::mpich:
      return mpich_environment(selections, kind);
    case Target::mpich_json:
      return mpich_selection(selections, kind, collective::mpich_own_selection(options_.mpich_library),
                             options_.mpich_library);
    case Target::intel:
      return intel_environment(selections, kind);
  }
  return {};
}

}  // namespace laxity::cli
