// The interface for links between processes that share no memory: between meshes or simulations on one side and the
// library that carries frames between hosts on the other. It does not depend on MPI, so that all users build without
// it.
//
// Threads: sender() and receiver() from any thread; the collective calls and relay() from one thread of each process,
// collective calls while no end is in use.
// Elsewhere: links over MPI (mpi.hpp), links in shared memory (shared_memory.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/arena.hpp"
#include "laxity/transport/payload_type.hpp"
#include "laxity/transport/ring_shape.hpp"

namespace laxity {

/// One end of a directed link to another process. Both ends state the same key, shape, type and overwriting.
struct RemoteLink {
  int peer = 0;                ///< the process (rank) at the other end; may be this one
  BlockKey key;                ///< unique among the links from that sender to that receiver
  RingShape shape{2, 0};       ///< maximum number of frames beyond the one shown, maximum payload in bytes
  PayloadType type{};          ///< of the values
  std::size_t send_depth = 0;  ///< maximum number of frames being sent at a time, at most the depth; 0: the depth
  bool overwriting = false;    ///< never refuses; a frame that is not read in time is superseded
};

/// Makes the ends of links between processes. Link set-up has two steps: every process makes all its ends, which refuse
/// until then; then all processes call connect().
class RemoteLinks {
 public:
  virtual ~RemoteLinks() = default;

  /// Throws UsageError if the shape or the peer is out of range, or this end was made before.
  [[nodiscard]] virtual AnySender sender(const RemoteLink& link) = 0;
  [[nodiscard]] virtual AnyReceiver receiver(const RemoteLink& link) = 0;

  /// Collective. Connects the ends made since the last call, after both sides of each link have compared their
  /// descriptions. Throws Error on every process if an end is missing or the two ends differ, naming the link.
  virtual void connect() = 0;
  /// Collective. Returns when every frame published before, by any process, has arrived at its receiver. Nothing may be
  /// published meanwhile.
  virtual void settle() = 0;
  /// If only the calling thread may communicate: moves the frames of the ends of other threads. To be called often, as
  /// in every update and while this thread waits. Never blocks.
  virtual void relay() noexcept {}
  /// Throws Error if an end has received a frame that does not belong to its link, or if the network has failed; such
  /// an end refuses and shows no new frame from then on. Local and cheap.
  virtual void check() const = 0;
  /// Collective. Closes all links: frames that were not received are dropped, nothing is left in flight. The ends
  /// remain valid, refuse, and show an empty frame.
  virtual void close() = 0;
};

}  // namespace laxity
