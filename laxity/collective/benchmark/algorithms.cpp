#include "laxity/collective/benchmark/algorithms.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "laxity/collective/benchmark/detail/control_variable.hpp"
#include "laxity/collective/own_algorithms.hpp"
#include "laxity/error.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity::collective {
namespace detail {

struct LibraryVariables {
  explicit LibraryVariables(Library which) : library(which), tools(which == Library::mpich) {}

  Library library;
  ToolInterface tools;  // declared before the variables, which need it until they are destroyed
  std::array<std::optional<ControlVariable>, all_collectives.size()> algorithm;
  std::optional<ControlVariable> dynamic_rules;       // Open MPI: whether the variables above have any effect
  std::optional<ControlVariable> device_collectives;  // MPICH: collectives that take precedence over the algorithms
  std::optional<ControlVariable> fallback;            // MPICH: what happens if an algorithm cannot be used
  int initial_device_collectives = 0;
  int initial_fallback = 0;
};

}  // namespace detail

namespace {

using detail::ControlVariable;

// MPICH lists the values only in the variable's description, as "name - Force ... algorithm" in the order of their
// numbers. Some releases put no blank between the description of one value and the name of the next, so names are found
// as suffixes of the text before " - "; the longest match counts.
constexpr std::array<std::string_view, 34> mpich_names{"all",
                                                       "auto",
                                                       "binomial",
                                                       "brucks",
                                                       "ccl",
                                                       "dissemination",
                                                       "error",
                                                       "k_brucks",
                                                       "k_dissemination",
                                                       "k_reduce_scatter_allgather",
                                                       "linear",
                                                       "nb",
                                                       "noncommutative",
                                                       "none",
                                                       "pairwise",
                                                       "pairwise_sendrecv_replace",
                                                       "percoll",
                                                       "pipelined_tree",
                                                       "print",
                                                       "recexch",
                                                       "recexch_doubling",
                                                       "recexch_halving",
                                                       "recursive_doubling",
                                                       "recursive_halving",
                                                       "recursive_multiplying",
                                                       "reduce_scatter_allgather",
                                                       "reduce_scatter_gather",
                                                       "ring",
                                                       "scatter_recursive_doubling_allgather",
                                                       "scatter_ring_allgather",
                                                       "scattered",
                                                       "silent",
                                                       "smp",
                                                       "tree"};

std::vector<Algorithm> items_of_description(std::string_view text) {
  std::vector<Algorithm> items;
  for (std::size_t dash = text.find(" - "); dash != std::string_view::npos; dash = text.find(" - ", dash + 3)) {
    std::string_view before = text.substr(0, dash);
    before = before.substr(0, before.find_last_not_of(' ') + 1);
    std::string_view name;
    for (const std::string_view known : mpich_names) {
      if (before.ends_with(known) && known.size() > name.size()) name = known;
    }
    const int id = static_cast<int>(items.size());
    items.push_back({id, name.empty() ? "algorithm_" + std::to_string(id) : std::string(name)});
  }
  return items;
}

// The value of a control variable that has this name; empty if none has.
std::optional<int> value_of(const ControlVariable& variable, std::string_view name) {
  for (const auto& [value, item] : variable.items()) {
    if (item == name) return value;
  }
  for (const Algorithm& item : items_of_description(variable.description())) {
    if (item.name == name) return item.id;
  }
  return std::nullopt;
}

// The values of a control variable, without 0 ("ignore", "auto"), which is the library's own choice.
std::vector<Algorithm> algorithms_of(const ControlVariable& variable) {
  std::vector<Algorithm> algorithms;
  for (const auto& [value, name] : variable.items()) {
    if (value != 0) algorithms.push_back({value, name});
  }
  if (!variable.items().empty()) return algorithms;
  for (Algorithm& item : items_of_description(variable.description())) {
    if (item.id != 0) algorithms.push_back(std::move(item));
  }
  return algorithms;
}

std::string library_text() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  mpi::check("MPI_Get_library_version", MPI_Get_library_version(text, &length));
  return {text, static_cast<std::size_t>(length)};
}

// The first number with a decimal point, as in "Open MPI v4.1.4, package ..." and "MPICH Version:\t4.0.2".
std::string version_in(std::string_view text) {
  constexpr std::string_view digits = "0123456789.";
  for (std::size_t at = text.find_first_of("0123456789"); at < text.size();
       at = text.find_first_of("0123456789", at + 1)) {
    const std::string_view number = text.substr(at, text.find_first_not_of(digits, at) - at);
    if (number.find('.') != std::string_view::npos) return std::string(number);
  }
  return "unknown";
}

std::string variable_name(Library library, Collective collective) {
  if (library == Library::open_mpi) return "coll_tuned_" + std::string(name_of(collective)) + "_algorithm";
  return "MPIR_CVAR_" + upper_case(name_of(collective)) + "_INTRA_ALGORITHM";
}

// Sets the variables that force one algorithm, or that restore the library's own choice (0).
void set(const detail::LibraryVariables& variables, Collective collective, int id) {
  if (const auto& algorithm = variables.algorithm[static_cast<std::size_t>(collective)]) algorithm->write(id);
  if (variables.library != Library::mpich) return;
  const bool own_choice = id == 0;
  if (const auto& device = variables.device_collectives) {
    device->write(own_choice ? variables.initial_device_collectives : value_of(*device, "none").value_or(1));
  }
  if (const auto& fallback = variables.fallback) {
    fallback->write(own_choice ? variables.initial_fallback : value_of(*fallback, "error").value_or(0));
  }
}

}  // namespace

void enable_algorithm_forcing() {
  constexpr int overwrite = 0;
  ::setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", overwrite);
}

LibraryAlgorithms::LibraryAlgorithms() {
  const std::string text = library_text();
  version_ = version_in(text);
  library_ = library_of_version(text);
  auto variables = std::make_shared<detail::LibraryVariables>(library_);
  if (library_ == Library::open_mpi || library_ == Library::mpich) {
    for (const Collective collective : all_collectives) {
      const auto place = static_cast<std::size_t>(collective);
      auto variable = ControlVariable::find(variable_name(library_, collective));
      if (!variable) continue;
      algorithms_[place] = algorithms_of(*variable);
      variables->algorithm[place].emplace(std::move(*variable));
    }
  }
  const auto open = [](std::optional<ControlVariable>& place, const char* name) {
    if (auto variable = ControlVariable::find(name)) place.emplace(std::move(*variable));
    return place ? place->read() : 0;
  };
  open(variables->dynamic_rules, "coll_tuned_use_dynamic_rules");
  variables->initial_device_collectives = open(variables->device_collectives, "MPIR_CVAR_DEVICE_COLLECTIVES");
  variables->initial_fallback = open(variables->fallback, "MPIR_CVAR_COLLECTIVE_FALLBACK");
  variables_ = std::move(variables);
}

std::optional<std::string> LibraryAlgorithms::obstacle() const {
  const auto& dynamic_rules = variables_->dynamic_rules;
  switch (library_) {
    case Library::open_mpi:
      if (!dynamic_rules) {
        return "this Open MPI was built without the component coll/tuned, whose algorithms can be forced; ompi_info "
               "lists its components";
      }
      if (dynamic_rules->read() == 0) {
        return "Open MPI ignores forced algorithms unless dynamic rules are enabled when it starts: set "
               "OMPI_MCA_coll_tuned_use_dynamic_rules=1 in the environment, or pass "
               "--mca coll_tuned_use_dynamic_rules 1 to mpirun";
      }
      return std::nullopt;
    case Library::mpich:
      return std::nullopt;
    case Library::intel_mpi:
    case Library::other:
      break;
  }
  return "algorithms can be forced in Open MPI and MPICH only; this is " + std::string(name_of(library_)) + " " +
         version_;
}

ForcedAlgorithm LibraryAlgorithms::force(MPI_Comm communicator, Collective collective, int id) const {
  const std::vector<Algorithm> all = is_own(id) ? own_algorithms(collective) : of(collective);
  if (const auto why = obstacle(); why && !is_own(id)) throw Error(*why);
  const bool forcible = is_own(id) || variables_->algorithm[static_cast<std::size_t>(collective)];
  const bool known = id == 0 || std::ranges::find(all, id, &Algorithm::id) != all.end();
  if (!known || !forcible) {
    throw UsageError(std::string(name_of(library_)) + " " + version_ + " has no algorithm " + std::to_string(id) +
                     " for " + std::string(name_of(collective)));
  }
  // MPI_Comm_dup itself uses collectives. A variable of the whole process (MPICH) must therefore not be set yet.
  const bool is_kept_by_communicator = library_ == Library::open_mpi && !is_own(id);
  if (is_kept_by_communicator) set(*variables_, collective, id);
  MPI_Comm duplicate = MPI_COMM_NULL;
  const mpi::Result duplicated{"MPI_Comm_dup", MPI_Comm_dup(communicator, &duplicate)};
  if (is_kept_by_communicator) set(*variables_, collective, 0);
  if (!duplicated.succeeded()) throw MpiError(duplicated);
  mpi::check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN));
  return {variables_, duplicate, collective, id};
}

ForcedAlgorithm::ForcedAlgorithm(ForcedAlgorithm&& other) noexcept
    : variables_(std::move(other.variables_)),
      communicator_(std::exchange(other.communicator_, MPI_COMM_NULL)),
      collective_(other.collective_),
      id_(other.id_) {}

ForcedAlgorithm::~ForcedAlgorithm() {
  if (communicator_ != MPI_COMM_NULL) mpi::report("MPI_Comm_free", MPI_Comm_free(&communicator_));
}

bool ForcedAlgorithm::is_set_for_calls() const noexcept {
  return variables_->library == Library::mpich && !is_own(id_);
}

ForcedAlgorithm::Activation::Activation(const ForcedAlgorithm& forced) : forced_(&forced) {
  if (forced.is_set_for_calls()) set(*forced.variables_, forced.collective_, forced.id_);
}

ForcedAlgorithm::Activation::~Activation() {
  if (forced_->is_set_for_calls()) set(*forced_->variables_, forced_->collective_, 0);
}

}  // namespace laxity::collective
