// Links over MPI: frames between processes that share no memory, by two-sided messages or one-sided puts.
//
// Source: the use of MPI in Moreno and Ofria, "Best-effort communication improves performance and scales robustly on
// conventional hardware", II-F: bounded buffers, and calls that receive many messages at once, against a backlog that
// would grow by itself.
//
// Invariants: the number of frames in flight on a link is bounded by its depth, because the receiver sends its position
// to the sender (credit); so no queue inside MPI grows, and no pull handles more than `depth` frames. Every frame
// begins with a header of 32 bytes (detail/mpi_frame.hpp).
//
// Progress: MPI moves data while a process is inside one of its calls; a process that neither sends nor pulls delays
// its peers. No call of an end waits for calls of the peer, with one exception: one-sided puts wait until the data is
// in the target's memory. That takes a fence on one host, a round trip on a network with remote direct memory access,
// and the peer's next call where MPI emulates puts in software. Prefer two_sided between hosts.
//
// Threads: ends used by one thread of a process at a time need MPI_THREAD_SERIALIZED (or FUNNELED, if it is the main
// one); ends in several threads at once need MPI_THREAD_MULTIPLE, or MpiThreads::one. The ends share no data.
// Elsewhere: the interface for users (remote_links.hpp), errors (laxity/mpi_call.hpp).
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string_view>

#include "laxity/error.hpp"
#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/remote_links.hpp"

namespace laxity {

/// How frames are sent. On links with RemoteLink::overwriting, only puts can replace frames at a receiver that is
/// stopped; with messages, the newest frame waits at the sender and is sent by its next claim or settle().
enum class MpiVariant {
  two_sided,   ///< non-blocking sends; receives are posted in advance
  ready_send,  ///< like two_sided with ready sends, which credit permits: a receive is posted for every frame
  one_sided,   ///< puts into a window of the receiver, with sequence numbers in the slots; not supported by every MPI
};
inline constexpr MpiVariant recommended_mpi_variant = MpiVariant::two_sided;

/// Which threads of a process may call MPI.
enum class MpiThreads {
  all,  ///< each thread for the ends that it owns
  one,  ///< the one that makes MpiLinks, which relays the frames of all threads; for ends in several threads with an
        ///< MPI that grants less than MPI_THREAD_MULTIPLE
};

[[nodiscard]] std::string_view to_string(MpiVariant variant) noexcept;
[[nodiscard]] std::optional<MpiVariant> mpi_variant_named(std::string_view name) noexcept;

/// The two ends of a link differ, or a frame does not belong to its link.
class MpiMismatch : public Error {
 public:
  using Error::Error;
};

/// The links of one process to the other processes of a communicator.
class MpiLinks final : public RemoteLinks {
 public:
  /// Collective over `communicator`, which is duplicated; all ranks give the same variant and threads. Throws MpiError.
  explicit MpiLinks(MPI_Comm communicator, MpiVariant variant = recommended_mpi_variant,
                    MpiThreads threads = MpiThreads::all);
  /// Closes the links, unless close() was called or an exception is being handled: then other ranks may never call it,
  /// so the buffers of unfinished messages are leaked, and the program should end by MPI_Abort.
  ~MpiLinks() override;
  MpiLinks(const MpiLinks&) = delete;
  MpiLinks& operator=(const MpiLinks&) = delete;

  [[nodiscard]] MpiVariant variant() const noexcept;

  [[nodiscard]] AnySender sender(const RemoteLink& link) override;
  [[nodiscard]] AnyReceiver receiver(const RemoteLink& link) override;
  /// Throws MpiMismatch, on all ranks.
  void connect() override;
  void settle() override;
  void relay() noexcept override;
  void check() const override;
  void close() override;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace laxity
