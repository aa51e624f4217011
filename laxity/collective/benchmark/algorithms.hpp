// The algorithms that the running MPI has for each collective, and how to make it use one of them.
//
// Open MPI: `coll_tuned_<collective>_algorithm` names them. A communicator keeps those that were set when it was made,
// so forcing is: set the variable, duplicate, set it back. That works only if coll_tuned_use_dynamic_rules was on when
// MPI started: let_algorithms_be_forced() before MPI_Init, or OMPI_MCA_coll_tuned_use_dynamic_rules=1 outside.
// MPICH: `MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM` holds for the calls of this process on any communicator, so it is set
// only around the calls; collectives of the device, which would hide it, are turned off meanwhile.
//
// Invariants: outside of activations, and on other communicators, the library decides as before.
// Threads: one at a time, and no collective of another thread meanwhile (MPICH's setting is the process's).
// Elsewhere: algorithms that are the same at some size (aliases.hpp); calls to measure and verify (operation.hpp).
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "laxity/collective/collective.hpp"

namespace laxity::collective {

/// Call it before MPI_Init: sets what Open MPI must know from the start, unless the environment says otherwise.
/// Other libraries do not look at it.
void let_algorithms_be_forced();

namespace detail {
struct LibraryVariables;  // the control variables, open for as long as somebody needs them
}

/// A communicator on which a collective can be made to run one algorithm. Move-only.
class ForcedAlgorithm {
 public:
  /// While it lives, calls of the collective on the communicator run the algorithm.
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
  /// Frees the communicator: every process of it must come here, and in the same order.
  ~ForcedAlgorithm();

  /// A duplicate with the error handler MPI_ERRORS_RETURN: an algorithm that does not work for this number of processes
  /// or this message answers with an error code at the first call.
  [[nodiscard]] MPI_Comm communicator() const noexcept { return communicator_; }

  /// Keep the clock reads inside: it costs nothing in Open MPI, about a microsecond in MPICH, where it also holds for
  /// the same collective on other communicators. One activation at a time, and within one nothing but the calls.
  [[nodiscard]] Activation activate() const { return Activation(*this); }

 private:
  friend class LibraryAlgorithms;
  ForcedAlgorithm(std::shared_ptr<const detail::LibraryVariables> variables, MPI_Comm communicator,
                  Collective collective, int id)
      : variables_(std::move(variables)), communicator_(communicator), collective_(collective), id_(id) {}

  std::shared_ptr<const detail::LibraryVariables> variables_;
  MPI_Comm communicator_;
  Collective collective_;
  int id_;
};

class LibraryAlgorithms {
 public:
  /// Asks the running MPI; between MPI_Init and MPI_Finalize. Throws Error if the tool interface fails.
  LibraryAlgorithms();

  [[nodiscard]] Library library() const noexcept { return library_; }
  /// "4.1.4"
  [[nodiscard]] const std::string& version() const noexcept { return version_; }

  /// In the order of their ids, without 0. Empty if the library does not say.
  [[nodiscard]] const std::vector<Algorithm>& of(Collective collective) const noexcept {
    return algorithms_[static_cast<std::size_t>(collective)];
  }

  /// Why nothing can be forced here, in one line that says what to do; nothing if all is well.
  [[nodiscard]] std::optional<std::string> obstacle() const;

  /// Collective over `communicator`. `id` is one of of(collective), or 0: the library decides. Throws Error with the
  /// obstacle; UsageError, an unknown id.
  [[nodiscard]] ForcedAlgorithm force(MPI_Comm communicator, Collective collective, int id) const;

 private:
  Library library_ = Library::other;
  std::string version_;
  std::array<std::vector<Algorithm>, all_collectives.size()> algorithms_;
  std::shared_ptr<const detail::LibraryVariables> variables_;
};

}  // namespace laxity::collective
