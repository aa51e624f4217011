// A sender that lives in another thread or process and does what it is told over a pair of sockets.
//
// So the same sentences of the contract are checked between threads and between processes, one call at a time, and a
// stream of frames is sent by the other side at full speed.
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "laxity/check.hpp"
#include "tests/conformance/letters.hpp"

namespace laxity::conformance {

enum class Order : std::uint64_t { claim, publish, stream, quit };

struct Command {
  Order order;
  std::uint64_t count;  // publish: bytes; stream: frames
};

inline void write_all(int socket, const void* from, std::size_t bytes) {
  LAXITY_CHECK(::send(socket, from, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes));
}
inline bool read_all(int socket, void* to, std::size_t bytes) {
  return bytes == 0 || ::recv(socket, to, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

/// Sends frames 0 .. count-1, each again until it is accepted.
template <Sender S>
void stream(S& sender, std::uint64_t count) {
  for (std::uint64_t number = 0; number < count; ++number) {
    while (!send_letter(sender, number)) std::this_thread::yield();
  }
}

/// What the other side runs: obeys until told to quit.
template <Sender S>
void serve(int socket, S&& sender) {
  std::byte* room = nullptr;
  Command command{};
  while (read_all(socket, &command, sizeof command) && command.order != Order::quit) {
    std::uint64_t answer = 0;
    switch (command.order) {
      case Order::claim:
        room = sender.try_claim();
        answer = room != nullptr ? 1 : 0;
        break;
      case Order::publish: {
        LAXITY_CHECK(read_all(socket, room, command.count));
        sender.publish(command.count);
        break;
      }
      case Order::stream:
        stream(sender, command.count);
        break;
      case Order::quit:
        break;
    }
    write_all(socket, &answer, sizeof answer);
  }
}

/// Gives the orders. A Sender itself.
class RemoteSender {
 public:
  static constexpr bool lossless = false;  // the fixture says what the real one is

  RemoteSender(int socket, std::size_t frame_capacity) : socket_(socket), room_(frame_capacity) {}

  [[nodiscard]] std::size_t frame_capacity() const noexcept { return room_.size(); }
  [[nodiscard]] std::byte* try_claim() noexcept { return ask({Order::claim, 0}) != 0 ? room_.data() : nullptr; }
  void publish(std::size_t bytes) noexcept {
    tell({Order::publish, bytes});
    write_all(socket_, room_.data(), bytes);
    hear();
  }

  void begin_stream(std::uint64_t count) noexcept { tell({Order::stream, count}); }
  void end_stream() noexcept { hear(); }
  void quit() noexcept { tell({Order::quit, 0}); }

 private:
  void tell(Command command) noexcept { write_all(socket_, &command, sizeof command); }
  std::uint64_t hear() noexcept {
    std::uint64_t answer = 0;
    LAXITY_CHECK(read_all(socket_, &answer, sizeof answer));
    return answer;
  }
  std::uint64_t ask(Command command) noexcept {
    tell(command);
    return hear();
  }

  int socket_;
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
