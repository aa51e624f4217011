// A remote-controlled sender in another thread or process.
//
// With it the contract is checked between threads and between processes, one call at a time, and the other side can send
// a stream of frames at full speed. Commands are sent over a pair of sockets; any type with write() and read() works.
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "laxity/transport/transport.hpp"
#include "tests/conformance/letters.hpp"

namespace laxity::conformance {

enum class Order : std::uint64_t { claim, publish, stream, quit };

struct Command {
  Order order;
  std::uint64_t count;  // claim: 0, or 1 to wait until there is room; publish: bytes; stream: frames
};

/// One end of a pair of sockets.
class SocketWire {
 public:
  explicit SocketWire(int socket) : socket_(socket) {}
  void write(const void* from, std::size_t bytes) {
    LAXITY_CHECK(::send(socket_, from, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes));
  }
  [[nodiscard]] bool read(void* to, std::size_t bytes) {
    return bytes == 0 || ::recv(socket_, to, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
  }

 private:
  int socket_;
};

/// Sends frames 0 .. count-1 and repeats each until it is accepted.
template <Sender S>
void stream(S& sender, std::uint64_t count) {
  for (std::uint64_t number = 0; number < count; ++number) {
    while (!send_letter(sender, number)) std::this_thread::yield();
  }
}

/// The loop of the other side: executes commands until `quit`.
template <class Wire, class S>
  requires Sender<std::remove_cvref_t<S>>
void serve(Wire wire, S&& sender) {
  std::byte* room = nullptr;
  Command command{};
  while (wire.read(&command, sizeof command) && command.order != Order::quit) {
    std::uint64_t answer = 0;
    switch (command.order) {
      case Order::claim:
        room = sender.try_claim();
        while (room == nullptr && command.count != 0) room = sender.try_claim();
        answer = room != nullptr ? 1 : 0;
        break;
      case Order::publish:
        LAXITY_CHECK(wire.read(room, command.count));
        sender.publish(command.count);
        break;
      case Order::stream:
        stream(sender, command.count);
        break;
      case Order::quit:
        break;
    }
    wire.write(&answer, sizeof answer);
  }
}

/// Sends the commands; satisfies Sender itself.
template <class Wire>
class RemoteSender {
 public:
  static constexpr bool lossless = false;  // the fixture has the value of the real sender

  RemoteSender(Wire wire, std::size_t frame_capacity) : wire_(wire), room_(frame_capacity) {}

  [[nodiscard]] std::size_t frame_capacity() const noexcept { return room_.size(); }
  [[nodiscard]] std::byte* try_claim() noexcept { return claim(0); }
  /// For a caller that knows of room, although the other side may not have noticed it yet.
  [[nodiscard]] std::byte* claim_when_there_is_room() noexcept { return claim(1); }
  void publish(std::size_t bytes) noexcept {
    tell({Order::publish, bytes});
    if (bytes != 0) wire_.write(room_.data(), bytes);
    hear();
  }

  void begin_stream(std::uint64_t count) noexcept { tell({Order::stream, count}); }
  void end_stream() noexcept { hear(); }
  void quit() noexcept { tell({Order::quit, 0}); }

 private:
  [[nodiscard]] std::byte* claim(std::uint64_t patient) noexcept {
    tell({Order::claim, patient});
    return hear() != 0 ? room_.data() : nullptr;
  }
  void tell(Command command) noexcept { wire_.write(&command, sizeof command); }
  std::uint64_t hear() noexcept {
    std::uint64_t answer = 0;
    LAXITY_CHECK(wire_.read(&answer, sizeof answer));
    return answer;
  }

  Wire wire_;
  std::vector<std::byte> room_;
};

/// A pair of connected sockets, closed at the end.
class Sockets {
 public:
  Sockets() { LAXITY_CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_) == 0); }
  ~Sockets() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;
  [[nodiscard]] int ours() const noexcept { return ends_[0]; }
  [[nodiscard]] int theirs() const noexcept { return ends_[1]; }

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace laxity::conformance
