// Links over MPI as fixtures of the transport suite: within one rank, or from each odd rank to the even one before it.
//
// The suite checks the state after every single call. Between ranks a message may still be in transit when the call that
// sent it returns, so the ends wait for the effects of earlier calls, and for no others.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <thread>
#include <utility>

#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/arena.hpp"
#include "laxity/transport/mpi.hpp"
#include "laxity/transport/remote_links.hpp"
#include "tests/conformance/remote_sender.hpp"
#include "tests/conformance/suite_shape.hpp"

namespace laxity::conformance {

/// Messages to and from one other rank. Yields while it waits, since there are often more ranks than cores.
class MpiWire {
 public:
  MpiWire(MPI_Comm communicator, int peer) : communicator_(communicator), peer_(peer) {}
  void write(const void* from, std::size_t bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(from, static_cast<int>(bytes), MPI_BYTE, peer_, 0, communicator_, &request);
    wait(request);
  }
  [[nodiscard]] bool read(void* to, std::size_t bytes) {
    if (bytes == 0) return true;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(to, static_cast<int>(bytes), MPI_BYTE, peer_, 0, communicator_, &request);
    wait(request);
    return true;
  }

 private:
  static void wait(MPI_Request& request) {
    for (int done = 0; done == 0; std::this_thread::yield()) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }

  MPI_Comm communicator_;
  int peer_;
};

/// The state of a link as known at the rank of its receiver.
struct Flight {
  std::uint64_t published = 0;
  std::uint64_t passed = 0;
  bool streaming = false;  // the number of published frames is unknown then
  [[nodiscard]] std::uint64_t frames() const noexcept { return published - passed; }
};

class SenderInOrder {
 public:
  static constexpr bool lossless = false;  // the fixture has the value of the real sender
  SenderInOrder(RemoteSender<MpiWire>& remote, Flight& flight) : remote_(&remote), flight_(&flight) {}
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return remote_->frame_capacity(); }
  [[nodiscard]] std::byte* try_claim() noexcept {
    return flight_->frames() < suite_depth ? remote_->claim_when_there_is_room() : remote_->try_claim();
  }
  void publish(std::size_t bytes) noexcept {
    remote_->publish(bytes);
    ++flight_->published;
  }

 private:
  RemoteSender<MpiWire>* remote_;
  Flight* flight_;
};

/// `waits`: for frames in transit. An overwriting link is idle when the answer of its sender has arrived.
class ReceiverInOrder {
 public:
  ReceiverInOrder(AnyReceiver receiver, Flight& flight, bool waits)
      : receiver_(std::move(receiver)), flight_(&flight), waits_(waits) {}
  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept {
    return moved_by([&](std::size_t moved) { return receiver_.try_step(limit - moved); }, limit);
  }
  [[nodiscard]] std::size_t jump() noexcept {
    return moved_by([&](std::size_t) { return receiver_.jump(); }, suite_depth);
  }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept { return receiver_.frame(); }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return receiver_.superseded(); }

 private:
  template <class Move>
  std::size_t moved_by(Move move, std::size_t limit) noexcept {
    std::size_t moved = move(0);
    while (waits_ && !flight_->streaming && moved < std::min<std::uint64_t>(limit, flight_->frames())) {
      std::this_thread::yield();
      moved += move(moved);
    }
    flight_->passed += moved;
    return moved;
  }

  AnyReceiver receiver_;
  Flight* flight_;
  bool waits_;
};

template <MpiVariant variant, bool overwriting>
class OverMpi {
 public:
  static constexpr bool lossless = !overwriting;
  static constexpr std::size_t depth = suite_depth;
  // Where puts need calls of the target, a put takes a time slice if there are more ranks than cores.
  static constexpr std::uint64_t stream_frames = 2'000;

  OverMpi() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair_);
    MPI_Comm_rank(pair_, &rank_);
    MPI_Comm_size(pair_, &ranks_);
    links_.emplace(pair_, variant);
    AnySender sender;
    AnyReceiver receiver;
    if (rank_ == ranks_ - 1) sender = links_->sender(link_with(0));
    if (rank_ == 0) receiver = links_->receiver(link_with(ranks_ - 1));
    links_->connect();
    if (ranks_ == 1 || rank_ == 1) {
      sender_ = std::move(sender);
      receiver_ = std::move(receiver);
    } else {
      remote_.emplace(MpiWire(pair_, 1), suite_capacity);
      sender_ = SenderInOrder(*remote_, flight_);
      receiver_ = ReceiverInOrder(std::move(receiver), flight_, !overwriting);
    }
  }
  ~OverMpi() {
    if (remote_) remote_->quit();
    links_->close();
    MPI_Comm_free(&pair_);
  }
  OverMpi(const OverMpi&) = delete;
  OverMpi& operator=(const OverMpi&) = delete;

  [[nodiscard]] bool serves() const { return rank_ == 1; }
  void serve() { conformance::serve(MpiWire(pair_, 0), sender_); }

  AnySender& sender() { return sender_; }
  AnyReceiver& receiver() { return receiver_; }
  void begin_stream(std::uint64_t count) {
    flight_.streaming = true;
    if (remote_) {
      remote_->begin_stream(count);
    } else {
      streaming_ = std::thread([this, count] { stream(sender_, count); });
    }
  }
  void end_stream() {
    if (remote_) {
      remote_->end_stream();
    } else {
      streaming_.join();
    }
  }

 private:
  static RemoteLink link_with(int peer) {
    return {
        .peer = peer, .key = BlockKey("suite"), .shape = suite_shape, .type = {.hash = 1}, .overwriting = overwriting};
  }

  MPI_Comm pair_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  Flight flight_;
  std::optional<MpiLinks> links_;
  std::optional<RemoteSender<MpiWire>> remote_;
  AnySender sender_;
  AnyReceiver receiver_;
  std::thread streaming_;
};

}  // namespace laxity::conformance
