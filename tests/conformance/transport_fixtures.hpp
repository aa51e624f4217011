// Fixtures of the conformance suite: one for every transport of the library.
//
// A fixture has sender(), receiver(), begin_stream(count) and end_stream(), and states whether the transport is lossless
// and the number of frames that are accepted while the receiver does not move (depth). To test a transport of your own,
// derive from Local and add it to the list in transport_conformance_test.cpp.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "examples/own_transport/own_transport.hpp"
#include "laxity/transport/any_transport.hpp"
#include "laxity/transport/arena.hpp"
#include "laxity/transport/impaired.hpp"
#include "laxity/transport/latest_slot.hpp"
#include "laxity/transport/limited_sender.hpp"
#include "laxity/transport/link.hpp"
#include "laxity/transport/mutex_ring.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/segment.hpp"
#include "laxity/transport/shared_memory.hpp"
#include "laxity/transport/spsc_ring.hpp"
#include "laxity/transport/transport.hpp"
#include "tests/conformance/remote_sender.hpp"
#include "tests/conformance/suite_shape.hpp"

namespace laxity::conformance {

/// Both ends in this process; a stream has its own thread.
template <Sender S, Receiver R>
class Local {
 public:
  Local(S sender, R receiver) : sender_(std::move(sender)), receiver_(std::move(receiver)) {}
  S& sender() { return sender_; }
  R& receiver() { return receiver_; }
  void begin_stream(std::uint64_t count) {
    streaming_ = std::thread([this, count] { stream(sender_, count); });
  }
  void end_stream() { streaming_.join(); }

 private:
  S sender_;
  R receiver_;
  std::thread streaming_;
};

template <class Ring>
constexpr std::size_t depth_of = std::is_same_v<Ring, LatestSlot> ? 1 : suite_depth;

template <class Ring>
struct InThread : Local<typename Link<Ring>::Sender, typename Link<Ring>::Receiver> {
  static constexpr bool lossless = Ring::lossless;
  static constexpr std::size_t depth = depth_of<Ring>;
  explicit InThread(Link<Ring> link = make_link<Ring>(suite_shape))
      : InThread::Local(std::move(link.sender), std::move(link.receiver)) {}
};

template <class Ring>
struct ChosenAtRunTime : Local<AnySender, AnyReceiver> {
  static constexpr bool lossless = Ring::lossless;
  static constexpr std::size_t depth = depth_of<Ring>;
  explicit ChosenAtRunTime(Link<Ring> link = make_link<Ring>(suite_shape))
      : Local(AnySender(std::move(link.sender)), AnyReceiver(std::move(link.receiver))) {}
};

/// A clock that does not move: without faults it is not used.
struct NoTime {
  [[nodiscard]] std::int64_t now_ns() const noexcept { return 0; }
};

template <class Ring>
struct WithoutFaults : Local<ImpairedSender<typename Link<Ring>::Sender, NoTime>,
                             ImpairedReceiver<typename Link<Ring>::Receiver, NoTime>> {
  static constexpr bool lossless = Ring::lossless;
  static constexpr std::size_t depth = depth_of<Ring>;
  WithoutFaults() : WithoutFaults(make_link<Ring>({suite_depth, suite_capacity + impairment_bytes})) {}

 private:
  explicit WithoutFaults(Link<Ring> link)
      : WithoutFaults::Local({std::move(link.sender), Faults{}, 1, NoTime{}},
                             {std::move(link.receiver), Faults{}, suite_capacity, NoTime{}}) {}
};

/// With a limit below its depth the overwriting ring refuses and loses nothing.
struct Limited : Local<LimitedSender, Link<OverwritingRing>::Receiver> {  // which owns the memory of both
  static constexpr bool lossless = true;
  static constexpr std::size_t depth = suite_depth;
  explicit Limited(Link<OverwritingRing> link = make_link<OverwritingRing>(suite_shape))
      : Local(LimitedSender(std::move(link.sender), limit), std::move(link.receiver)) {}

 private:
  static constexpr std::size_t limit = depth;
};

struct OwnTransport : Local<MailboxSender, MailboxReceiver> {
  static constexpr bool lossless = true;
  static constexpr std::size_t depth = suite_depth;
  explicit OwnTransport(std::shared_ptr<Mailbox> box = std::make_shared<Mailbox>(suite_depth, suite_capacity))
      : Local(MailboxSender(box), MailboxReceiver(box)) {}
};

/// Two processes' views of a named ring, mapped at two addresses.
template <class Ring>
struct ByName : Local<typename NamedRing<Ring>::Sender, typename NamedRing<Ring>::Receiver> {
  static constexpr bool lossless = Ring::lossless;
  static constexpr std::size_t depth = depth_of<Ring>;
  explicit ByName(const std::string& name = "conformance-" + std::to_string(::getpid()))
      : ByName(NamedRing<Ring>::create(name, suite_shape), name) {}

 private:
  ByName(NamedRing<Ring> created, const std::string& name)
      : ByName::Local(NamedRing<Ring>::attach(name, suite_shape).sender(), created.receiver()) {}
};

/// The common part of the two remote fixtures.
template <class Ring>
class Remote {
 public:
  static constexpr bool lossless = Ring::lossless;
  static constexpr std::size_t depth = depth_of<Ring>;
  RemoteSender<SocketWire>& sender() { return sender_; }
  typename Ring::Receiver& receiver() { return receiver_; }
  void begin_stream(std::uint64_t count) { sender_.begin_stream(count); }
  void end_stream() { sender_.end_stream(); }

 protected:
  explicit Remote(Segment segment) : arena_(std::move(segment), 1) {}
  [[nodiscard]] auto make_sender() { return shared_sender<Ring>(arena_, BlockKey("ring"), suite_shape); }

  Sockets sockets_;
  Arena arena_;
  RemoteSender<SocketWire> sender_{SocketWire(sockets_.ours()), suite_capacity};
  typename Ring::Receiver receiver_ = shared_receiver<Ring>(arena_, BlockKey("ring"), suite_shape);
};

template <class Ring>
class BetweenThreads : public Remote<Ring> {
 public:
  BetweenThreads() : Remote<Ring>(Segment::private_memory(1 << 20)) {
    thread_ = std::thread([this] { serve(SocketWire(this->sockets_.theirs()), this->make_sender()); });
  }
  ~BetweenThreads() {
    this->sender_.quit();
    thread_.join();
  }

 private:
  std::thread thread_;
};

template <class Ring>
class BetweenProcesses : public Remote<Ring> {
 public:
  BetweenProcesses() : Remote<Ring>(Segment::shared(1 << 20)) {
    child_ = ::fork();
    LAXITY_CHECK(child_ >= 0);
    if (child_ == 0) {
      serve(SocketWire(this->sockets_.theirs()), this->make_sender());
      ::_exit(0);
    }
  }
  ~BetweenProcesses() {
    this->sender_.quit();
    int status = 0;
    ::waitpid(child_, &status, 0);
    LAXITY_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

 private:
  pid_t child_ = 0;
};

}  // namespace laxity::conformance
