#include "laxity/trace/analysis/forced_algorithm.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "laxity/collective/collective.hpp"

namespace laxity::trace {
namespace {

constexpr std::string_view open_mpi = "OMPI_MCA_coll_tuned_";
// MPICH reads each of its variables under three names, of which a later one prevails.
constexpr std::array<std::string_view, 3> mpich{"MPICH_", "MPIR_PARAM_", "MPIR_CVAR_"};
constexpr std::string_view intel = "I_MPI_ADJUST_";

std::string_view value_of(const std::vector<Setting>& settings, std::string_view name) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) { return setting.name == name; });
  return found == settings.end() ? std::string_view() : found->value;
}

bool is_true(std::string_view value) {
  static constexpr std::array<std::string_view, 6> words{"1", "true", "t", "yes", "y", "enabled"};
  return std::find(words.begin(), words.end(), value) != words.end();
}

}  // namespace

bool chooses_algorithms(std::string_view name, std::string_view mpi) noexcept {
  switch (collective::library_of_version(mpi)) {
    case collective::Library::open_mpi:
      return name.starts_with(open_mpi);
    case collective::Library::intel_mpi:
      return name.starts_with(intel);
    default:  // MPICH and libraries derived from it
      return std::any_of(mpich.begin(), mpich.end(), [name](auto prefix) { return name.starts_with(prefix); }) &&
             (name.ends_with("_ALGORITHM") || name.ends_with("_TUNING_JSON_FILE"));
  }
}

std::string forced_algorithm(const ProcessDefinitions& process, const Call& call) {
  const Communicator& communicator = process.communicators[call.communicator];
  const std::vector<Setting>& settings = process.settings;
  // A single process needs no algorithm, and the variables do not apply to inter-communicators.
  if (settings.empty() || communicator.size < 2 || communicator.remote_size > 0) return {};
  const bool blocking = call.start == Start::blocking;
  const std::string kind(name_of(call.kind));
  std::string variable = collective::upper_case(kind);
  if (!blocking) variable.insert(variable.begin(), 'I');
  std::string_view value;
  switch (collective::library_of_version(process.process.mpi)) {
    case collective::Library::open_mpi:
      if (!blocking || !is_true(value_of(settings, std::string(open_mpi) + "use_dynamic_rules"))) return {};
      value = value_of(settings, std::string(open_mpi) + kind + "_algorithm");
      break;
    case collective::Library::intel_mpi:
      value = value_of(settings, std::string(intel) + variable);
      if (value.find_first_not_of("0123456789") != std::string_view::npos) return {};  // a list of ranges
      break;
    default:
      for (const std::string_view prefix : mpich) {
        const std::string_view set = value_of(settings, std::string(prefix) + variable + "_INTRA_ALGORITHM");
        if (!set.empty()) value = set;
      }
  }
  const bool leaves_it_to_the_library = value == "0" || value == "ignore" || value == "auto";
  return leaves_it_to_the_library ? std::string() : std::string(value);
}

}  // namespace laxity::trace
