// The algorithms that the running MPI has for each collective, and how to force one of them.
//
// Open MPI: the control variable `coll_tuned_<collective>_algorithm` names them. A communicator keeps the values that
// were set when it was created, so forcing means: set the variable, duplicate the communicator, reset the variable.
// Open MPI obeys only if coll_tuned_use_dynamic_rules was set when MPI started: call enable_algorithm_forcing() before
// MPI_Init, or set OMPI_MCA_coll_tuned_use_dynamic_rules=1 in the environment.
// MPICH: `MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM` applies to the calls of this process on every communicator, so it is
// set only during the forced calls. Device collectives, which would take precedence, are disabled for the same time.
//
// Invariants: outside of activations, and on all other communicators, the library chooses as it does without this
// class.
// Threads: one at a time, while no other thread is in a collective (MPICH's variables belong to the process).
// Elsewhere: equivalent algorithms (aliases.hpp), the calls that are measured and verified (operation.hpp).
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/collective/collective.hpp"

namespace laxity::collective {

/// Makes Open MPI accept forced algorithms, unless the environment says otherwise. To be called before MPI_Init. Has no
/// effect on other libraries.
void enable_algorithm_forcing();

namespace detail {
struct LibraryVariables;  // the library's control variables
}

/// A communicator on which one algorithm can be forced for one collective. Move-only.
class ForcedAlgorithm {
 public:
  /// While it exists, calls of the collective on the communicator use the algorithm.
  class Activation {
   public:
    Activation(const Activation&) = delete;
    Activation& operator=(const Activation&) = delete;
    ~Activation();

   private:
    friend class ForcedAlgorithm;
    explicit Activation(const ForcedAlgorithm& forced);
    const ForcedAlgorithm* forced_;
  };

  ForcedAlgorithm(ForcedAlgorithm&& other) noexcept;
  ForcedAlgorithm& operator=(ForcedAlgorithm&&) = delete;
  /// Frees the communicator, which is collective: all its processes must destroy their objects in the same order.
  ~ForcedAlgorithm();

  /// A duplicate with the error handler MPI_ERRORS_RETURN: the first call returns an error code if the algorithm does
  /// not support the number of processes or the message.
  [[nodiscard]] MPI_Comm communicator() const noexcept { return communicator_; }

  /// Of the library or, in 101 and above, of own_algorithms(), which Operation runs.
  [[nodiscard]] int id() const noexcept { return id_; }

  /// Read clocks inside of the activation. It costs nothing in Open MPI and about a microsecond in MPICH, where it also
  /// applies to the same collective on other communicators. Only one activation may exist at a time.
  [[nodiscard]] Activation activate() const { return Activation(*this); }

 private:
  friend class LibraryAlgorithms;
  ForcedAlgorithm(std::shared_ptr<const detail::LibraryVariables> variables, MPI_Comm communicator,
                  Collective collective, int id)
      : variables_(std::move(variables)), communicator_(communicator), collective_(collective), id_(id) {}
  [[nodiscard]] bool is_set_for_calls() const noexcept;  // by a variable of the process, during activations

  std::shared_ptr<const detail::LibraryVariables> variables_;
  MPI_Comm communicator_;
  Collective collective_;
  int id_;
};

class LibraryAlgorithms {
 public:
  /// Queries the running MPI; to be called between MPI_Init and MPI_Finalize. Throws Error if the tool interface fails.
  LibraryAlgorithms();

  [[nodiscard]] Library library() const noexcept { return library_; }
  /// "4.1.4"
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  /// In the order of their ids, without 0. Empty if the library does not list them.
  [[nodiscard]] const std::vector<Algorithm>& of(Collective collective) const noexcept {
    return algorithms_[static_cast<std::size_t>(collective)];
  }

  /// Why no algorithm can be forced here, and what to do, in one line. Empty if algorithms can be forced.
  [[nodiscard]] std::optional<std::string> obstacle() const;

  /// Collective over `communicator`. `id` is an id in of(collective), or in own_algorithms(collective), which run on every
  /// MPI, or 0 for the library's own choice. Throws Error with the obstacle, and UsageError if the id is unknown.
  [[nodiscard]] ForcedAlgorithm force(MPI_Comm communicator, Collective collective, int id) const;

 private:
  Library library_ = Library::other;
  std::string version_;
  std::array<std::vector<Algorithm>, all_collectives.size()> algorithms_;
  std::shared_ptr<const detail::LibraryVariables> variables_;
};

}  // namespace laxity::collective
