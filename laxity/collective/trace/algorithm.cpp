#include "laxity/collective/trace/algorithm.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace laxity::trace {
namespace {

constexpr std::string_view open_mpi = "OMPI_MCA_coll_tuned_";
constexpr std::string_view mpich = "MPIR_CVAR_";
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

std::string upper(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

bool chooses_algorithms(std::string_view name) noexcept {
  return name.starts_with(open_mpi) || name.starts_with(intel) ||
         (name.starts_with(mpich) && (name.ends_with("_ALGORITHM") || name.ends_with("_TUNING_JSON_FILE")));
}

std::string algorithm_of(const Call& call, const Communicator& communicator, const std::vector<Setting>& settings) {
  // One process alone has nothing to do, and settings are for communicators of one group.
  if (settings.empty() || communicator.size < 2 || communicator.remote_size > 0) return {};
  const std::string_view kind = name_of(call.kind);
  std::string variable = upper(kind);
  if (call.start != Start::blocking) variable.insert(variable.begin(), 'I');
  if (call.start == Start::blocking && is_true(value_of(settings, std::string(open_mpi) + "use_dynamic_rules"))) {
    const auto value = value_of(settings, std::string(open_mpi) + std::string(kind) + "_algorithm");
    if (!value.empty() && value != "0" && value != "ignore") return std::string(value);
  }
  const auto named = value_of(settings, std::string(mpich) + variable + "_INTRA_ALGORITHM");
  if (!named.empty() && named != "auto") return std::string(named);
  const auto numbered = value_of(settings, std::string(intel) + variable);
  const bool holds_for_all = numbered.find_first_not_of("0123456789") == std::string_view::npos;
  if (!numbered.empty() && numbered != "0" && holds_for_all) return std::string(numbered);
  return {};
}

}  // namespace laxity::trace
