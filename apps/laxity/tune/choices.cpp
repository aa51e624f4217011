#include "apps/laxity/tune/choices.hpp"

#include <fmt/ostream.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>

#include "apps/laxity/trace/traced_job.hpp"
#include "apps/laxity/tune/print.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/collective/own_algorithms.hpp"
#include "laxity/collective/rules/environment_rules.hpp"
#include "laxity/collective/rules/mpich_selection.hpp"
#include "laxity/collective/selection/arrival_table.hpp"
#include "laxity/error.hpp"
#include "laxity/trace/analysis/conditions.hpp"
#include "laxity/version.hpp"

namespace laxity::cli {
namespace {

enum class Target { openmpi, openmpi5, openmpi6, mpich, intel };
constexpr std::array<const char*, 5> targets{"openmpi", "openmpi5", "openmpi6", "mpich", "intel"};

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
  if (target == Target::mpich) return "MPICH";
  return target == Target::intel ? "" : "Open MPI";
}

// Measurements of one run directory are made side by side and can be compared; those of two cannot.
std::vector<collective::Measurement> read_all(const ChoiceOptions& options) {
  std::vector<collective::Measurement> cells;
  std::map<std::tuple<collective::Collective, int, std::size_t>, std::string> measured_in;
  for (const std::string& run : options.runs) {
    for (auto& cell : collective::read_arrival_table(run)) {
      const std::string wanted = library_of(target_of(options.mpi, cell.library));
      if (!cell.library.starts_with(wanted)) {
        std::string why = run;
        why.append(" was measured with ").append(cell.library).append(", whose algorithms are not those of ");
        throw UsageError(why.append(wanted).append("; measure with the library that is to be tuned"));
      }
      const auto [first, is_new] = measured_in.try_emplace({cell.collective, cell.processes, cell.bytes}, run);
      if (first->second != run) {
        throw UsageError(fmt::format("{} of {} bytes was measured in {} and in {}; name one of them",
                                     name_of(cell.collective), cell.bytes, first->second, run));
      }
      if (!collective::is_own(cell.algorithm.id)) cells.push_back(std::move(cell));  // no library can be told to run it
    }
  }
  if (cells.empty()) throw UsageError("the run directories contain no measurement");
  return cells;
}

// The file of the MPICH that this program runs with; empty if that is another MPI.
std::string loaded_mpich() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        const std::string name = library->dlpi_name;
        if (std::filesystem::path(name).filename().string().starts_with("libmpich.so")) {
          *static_cast<std::string*>(found) = name;
        }
        return 0;
      },
      &path);
  return path;
}

// "alltoall, 4 processes, 12345 bytes: 96 calls of the application, not measured; to measure them: laxity arrival ..."
void print_unmeasured(const trace::UnmeasuredCalls& calls, const std::string& trace, std::ostream& out) {
  fmt::print(out, "{}, {} processes, {} bytes: {} {} of the application, ", name_of(calls.kind), calls.processes,
             calls.bytes, calls.calls, calls.calls == 1 ? "call" : "calls");
  if (calls.collective) {
    fmt::print(out, "not measured; to measure them: laxity arrival -n {} --for {}\n", calls.processes, trace);
  } else {
    fmt::print(out, "which laxity arrival cannot measure\n");
  }
}

// The application's calls by nearest measured condition; empty without a trace.
std::vector<collective::ApplicationCalls> application_calls(const ChoiceOptions& options,
                                                            const std::vector<collective::Measurement>& cells,
                                                            std::ostream& out) {
  if (options.trace.empty()) return {};
  const auto found = trace::conditions_of(read_synchronized_job(options.trace), cells);
  for (const trace::UnmeasuredCalls& calls : found.unmeasured) print_unmeasured(calls, options.trace, out);
  return found.calls;
}

}  // namespace

std::vector<std::string> choice_targets() { return {targets.begin(), targets.end()}; }

Choices::Choices(ChoiceOptions options, std::ostream& out) : options_(std::move(options)) {
  if (options_.runs.empty()) throw UsageError("expected run directories of `laxity arrival`");
  const auto cells = read_all(options_);
  library_ = cells.front().library;
  selections_ = collective::select_algorithms(cells, options_.traced, application_calls(options_, cells, out));
  print_choices(selections_, library_, out);
}

bool Choices::was_measured(collective::ChoiceKind kind) const noexcept {
  return collective::has_choice(selections_, kind);
}

bool Choices::chooses(collective::ChoiceKind kind) const noexcept {
  return std::any_of(selections_.begin(), selections_.end(),
                     [kind](const auto& one) { return one.chosen(kind) != nullptr; });
}

std::string Choices::text(collective::ChoiceKind kind) const {
  using collective::OpenMpiForm;
  std::string comment = "written by laxity " LAXITY_VERSION;
  for (const auto& one : selections_) comment += '\n' + one.name() + ": " + one.evidence(kind);
  switch (target_of(options_.mpi, library_)) {
    case Target::openmpi:
      return format_rules(openmpi_rules(selections_, kind), OpenMpiForm::version_1, comment);
    case Target::openmpi5:
      return format_rules(openmpi_rules(selections_, kind), OpenMpiForm::version_2, comment);
    case Target::openmpi6:
      return format_rules(openmpi_rules(selections_, kind), OpenMpiForm::json);
    case Target::mpich: {
      const std::string file = options_.mpich_library.empty() ? loaded_mpich() : options_.mpich_library;
      if (file.empty()) {
        throw UsageError(
            "choices for MPICH are inserted into its own selection: expected --mpich-library libmpich.so, which ldd "
            "shows for a program that uses it");
      }
      return mpich_selection(selections_, kind, collective::mpich_own_selection(file), file);
    }
    case Target::intel:
      return intel_environment(selections_, kind, comment);
  }
  return {};
}

}  // namespace laxity::cli
