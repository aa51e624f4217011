#include "apps/laxity/tune/choices.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/trace/export.hpp"
#include "laxity/collective/aliases.hpp"
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

// `library` is what was measured: "Open MPI 4.1.4".
Target target_of(const std::string& name, const std::string& library) {
  if (name.empty()) {
    if (library.starts_with("MPICH")) return Target::mpich;
    if (library.starts_with("Open MPI 5.")) return Target::openmpi5;
    return Target::openmpi;
  }
  std::size_t place = 0;
  while (targets[place] != name) ++place;  // CLI11 lets no other name pass
  return static_cast<Target>(place);
}

// The library whose algorithms the target has; empty for any.
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
  if (cells.empty()) throw UsageError("there is no valid measurement in the run directories");
  return cells;
}

// Which of the candidates do the same, so that nobody reads a difference into their measurements.
void say_aliases(const collective::Selection& selection, const std::string& library, std::ostream& out) {
  std::vector<collective::Algorithm> measured;
  for (const auto& candidate : selection.candidates) measured.push_back(candidate.algorithm);
  const auto which = library.starts_with("Open MPI") ? collective::Library::open_mpi : collective::Library::other;
  for (const auto& alias :
       collective::aliases(which, selection.collective, measured, selection.processes, selection.bytes)) {
    out << "  " << alias.algorithm.name << " does the same as " << alias.runs.name << " here: " << alias.why << '\n';
  }
}

// What the calls of the trace are like; nothing without a trace.
std::vector<collective::ApplicationCalls> application_calls(const ChoiceOptions& options,
                                                            const std::vector<collective::Measurement>& cells,
                                                            std::ostream& out) {
  if (options.trace.empty()) return {};
  const auto jobs = trace::read_jobs(trace_files_of(options.trace));
  const trace::Job& job = largest(jobs);
  if (!job.one_clock) throw UsageError(options.trace + ": the processes have different clocks, not synchronized");
  const auto found = trace::conditions_of(job, cells);
  for (const std::string& what : found.left_out) out << what << '\n';
  if (found.calls.empty()) {
    throw UsageError(options.trace + ": no call of the application was measured; measure its collectives and sizes");
  }
  return found.calls;
}

}  // namespace

void add_choice_options(Command& command, ChoiceOptions& options) {
  command
      .add_option("--mpi", options.mpi,
                  "openmpi (4), openmpi5, openmpi6, mpich (settings), mpich-json or intel (default: that was measured)")
      ->one_of(std::vector<std::string>(targets.begin(), targets.end()));
  command.add_option("--mpich-library", options.mpich_library, "libmpich.so, or its own selection as JSON")
      ->type_name("FILE");
  command.add_option("--trace", options.trace, "A trace whose calls decide the traced choices")
      ->type_name("DIR")
      ->existing_directory();
  command.add_option("--traced", options.traced, "Name of the traced pattern in the table")->capture_default_str();
}

Choices::Choices(ChoiceOptions options, std::ostream& out) : options_(std::move(options)) {
  if (options_.runs.empty()) throw UsageError("name the run directories of `laxity arrival` that shall decide");
  if (options_.mpi == "mpich-json" && options_.mpich_library.empty()) {
    throw UsageError("--mpi mpich-json puts choices into MPICH's own: name its library, --mpich-library libmpich.so");
  }
  const auto cells = read_all(options_);
  library_ = cells.front().library;
  auto selections = collective::select_algorithms(cells, options_.traced, application_calls(options_, cells, out));
  if (selections.made.empty()) {
    throw UsageError(selections.undecided.empty() ? "nothing but the library's own choice was measured"
                                                  : selections.undecided.front());
  }
  for (const std::string& what : selections.undecided) out << what << '\n';
  selections_ = std::move(selections.made);
}

void Choices::explain(std::ostream& out) const {
  for (const auto& selection : selections_) {
    out << selection.reason() << '\n';
    say_aliases(selection, library_, out);
    for (const std::string& name : selection.left_out) {
      out << "  left out, because it was not measured under all patterns: " << name << '\n';
    }
  }
}

bool Choices::has_traced() const noexcept {
  return std::any_of(selections_.begin(), selections_.end(), [](const auto& one) { return one.traced.has_value(); });
}

std::string Choices::text(collective::ChoiceKind kind) const {
  using collective::OpenMpiForm;
  auto selections = selections_;
  // An application's choices are for what it calls; the rest stays as the library would have it.
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
