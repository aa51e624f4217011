// Links over MPI: frames between processes that share no memory, by one of several kinds of messages.
//
// Source: the use of MPI in Moreno and Ofria, "Best-effort communication improves performance and scales robustly on
// conventional hardware", II-F: bounded buffers, and calls that take in many messages at once, against a backlog that
// grows because it grows.
//
// Invariants: what is in flight on a link is bounded by its depth, because the receiver tells the sender how far it has
// come (credit); so no queue inside MPI grows, and no pull has more to do than `depth` frames. Every frame opens with
// 32 bytes that say what it is (detail/mpi_frame.hpp).
//
// Progress: MPI moves data while a process is inside one of its calls; a process that neither sends nor pulls holds up
// its peers. No call of an end waits for the peer's calls, except that one-sided puts wait for the target's memory: a
// fence where ranks share a host, a round trip on a network that writes memory by itself, and the peer's next call
// where MPI emulates puts in software. Prefer two_sided between hosts.
//
// Threads: ends used by one thread of a process at a time need MPI_THREAD_SERIALIZED (or FUNNELED, if it is the main
// one); ends in several threads at once need MPI_THREAD_MULTIPLE. The ends share nothing among each other.
// Elsewhere: the seam that programs are written against (remote_links.hpp), failures (laxity/mpi_call.hpp).
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string_view>

#include "laxity/mpi_call.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity {

/// How frames travel. On links with RemoteLink::overwriting only a put can replace what a receiver that stands still has
/// not taken; by messages, the newest frame waits at the sender and goes with its next claim or settle().
enum class MpiVariant {
  two_sided,   ///< non-blocking sends into receives that are posted ahead
  ready_send,  ///< as two_sided, with ready sends: legal, because credit means that the receive is posted
  one_sided,   ///< puts into a window at the receiver, with sequence numbers in the slots; not every MPI can everywhere
};
inline constexpr MpiVariant recommended_mpi_variant = MpiVariant::two_sided;

[[nodiscard]] std::string_view to_string(MpiVariant variant) noexcept;
[[nodiscard]] std::optional<MpiVariant> mpi_variant_named(std::string_view name) noexcept;

/// The two ends of a link, or two ranks, do not agree on what they exchange.
class MpiMismatch : public Error {
 public:
  using Error::Error;
};

/// The links of one process to the other processes of a communicator.
class MpiLinks final : public RemoteLinks {
 public:
  /// Collective over `communicator`, which is duplicated; all ranks give the same variant. Throws MpiError.
  explicit MpiLinks(MPI_Comm communicator, MpiVariant variant = recommended_mpi_variant);
  /// Closes if that was not done. While an exception is on its way it does not, since other ranks may never come: then
  /// buffers of unfinished messages are left to MPI, and the program should end by MPI_Abort.
  ~MpiLinks() override;
  MpiLinks(const MpiLinks&) = delete;
  MpiLinks& operator=(const MpiLinks&) = delete;

  [[nodiscard]] MpiVariant variant() const noexcept;

  [[nodiscard]] AnySender sender(const RemoteLink& link) override;
  [[nodiscard]] AnyReceiver receiver(const RemoteLink& link) override;
  /// Throws MpiMismatch, on all ranks.
  void connect() override;
  void settle() override;
  void check() const override;
  void close() override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace laxity
