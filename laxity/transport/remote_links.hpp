// Where a program gets links to processes that it shares no memory with: the seam between those who wire workers up and
// the library that carries frames between hosts. Free of MPI, so that everything builds without one.
//
// Threads: sender() and receiver() from any thread; the collective calls from one thread of each process, while no end
// is in use. Elsewhere: links over MPI (mpi.hpp), links in shared memory (shared_memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/arena.hpp"
#include "laxity/transport/ring_shape.hpp"

namespace laxity {

/// One end of a directed link to another process. Both ends state the same key, shape, type and overwriting.
struct RemoteLink {
  int peer = 0;                ///< the process (rank) at the other end; may be the own one
  BlockKey key;                ///< names the link among those from that sender to that receiver
  RingShape shape{2, 0};       ///< frames the sender may be ahead of the frame shown, largest payload in bytes
  std::uint64_t type = 0;      ///< what the frames hold, as a hash; 0: anything
  std::size_t send_depth = 0;  ///< frames that may be on their way out at once, at most the depth; 0: the depth
  bool overwriting = false;    ///< never refuses; a frame that is not taken in time is superseded
};

/// Makes ends of links between processes. Set-up has two steps: every process asks for all its ends, which are handed
/// out at once but refuse; then all processes call connect().
class RemoteLinks {
 public:
  virtual ~RemoteLinks() = default;

  /// Throws UsageError if the shape or the peer is out of range, or this end has been asked for before.
  [[nodiscard]] virtual AnySender sender(const RemoteLink& link) = 0;
  [[nodiscard]] virtual AnyReceiver receiver(const RemoteLink& link) = 0;

  /// Collective. Brings the ends made since the last call to life, after both sides have compared what they expect of
  /// each link. Throws Error on every process if any link lacks an end or its ends differ, naming the link.
  virtual void connect() = 0;
  /// Collective. Returns when every frame published before, by any process, has come to its receiver, whose next move
  /// will reach it. Nothing is published meanwhile.
  virtual void settle() = 0;
  /// Throws Error if an end has met a frame that cannot be its own, or a failure of the network; such an end refuses
  /// and shows nothing new from then on. Cheap, local.
  virtual void check() const = 0;
  /// Collective. Ends all links: what was not received is dropped, nothing is left in flight. The ends may be kept, but
  /// refuse, and show an empty frame.
  virtual void close() = 0;
};

}  // namespace laxity
