#include "apps/laxity/top/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "apps/laxity/top/screen.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

volatile std::sig_atomic_t signaled = 0;

// The last letter of the sequence of a key, or the number before '~', and the key it stands for.
struct Sequence {
  std::string_view ending;
  char key;
};
constexpr std::array<Sequence, 10> sequences{{{"A", key_up},
                                              {"B", key_down},
                                              {"5~", key_page_up},
                                              {"6~", key_page_down},
                                              {"H", key_first},
                                              {"F", key_last},
                                              {"1~", key_first},
                                              {"4~", key_last},
                                              {"7~", key_first},
                                              {"8~", key_last}}};

// Arrows and the like become letters; a key alone or a sequence comes in one read. Unknown sequences are no key.
std::string keys_of(std::string_view bytes) {
  std::string keys;
  while (!bytes.empty()) {
    const bool is_sequence = bytes.size() > 2 && bytes[0] == '\x1b' && (bytes[1] == '[' || bytes[1] == 'O');
    if (!is_sequence) {
      keys += bytes[0];
      bytes.remove_prefix(1);
      continue;
    }
    bytes.remove_prefix(2);
    const std::size_t end = std::min(bytes.find_first_not_of("0123456789;"), bytes.size() - 1) + 1;
    for (const Sequence& known : sequences)
      if (bytes.substr(0, end) == known.ending) keys += known.key;
    bytes.remove_prefix(end);
  }
  return keys;
}

// Where the launcher reads what is typed and prints to, if that is one terminal and nobody else's turn.
int open_terminal_of_launcher() {
  const pid_t launcher = ::getppid();
  const std::string streams = "/proc/" + std::to_string(launcher) + "/fd/";
  const auto open_stream = [&](int stream) {
    const int descriptor = ::open((streams + std::to_string(stream)).c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (descriptor >= 0 && ::isatty(descriptor) == 1 && ::tcgetpgrp(descriptor) == ::getpgid(launcher))
      return descriptor;
    if (descriptor >= 0) ::close(descriptor);
    return -1;
  };
  const int input = open_stream(STDIN_FILENO);
  if (input < 0) return -1;
  ::close(input);
  return open_stream(STDOUT_FILENO);
}

}  // namespace

std::optional<int> TopTerminal::find(bool launched) {
  if (::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1)
    return ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (const int descriptor = launched ? open_terminal_of_launcher() : -1; descriptor >= 0) return descriptor;
  return std::nullopt;
}

TopTerminal::TopTerminal(int descriptor) : descriptor_(descriptor) {
  if (::tcgetattr(descriptor_, &before_) != 0) throw SystemError("tcgetattr(terminal)", errno);
  std::signal(SIGTTOU, SIG_IGN);  // a rank is no process of the foreground, and draws with its launcher's leave
  note_interruptions();
  struct sigaction action {};
  action.sa_handler = [](int) {};  // a new size: poll() returns, and the screen is drawn again
  ::sigaction(SIGWINCH, &action, nullptr);
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 1;  // with 0 a launcher that reads on our behalf would take it for the end
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(descriptor_, TCSANOW, &raw);
  write("\x1b[?1049h\x1b[?25l");
}

TopTerminal::~TopTerminal() {
  write("\x1b[?25h\x1b[?1049l");
  ::tcsetattr(descriptor_, TCSANOW, &before_);
  ::close(descriptor_);
}

std::pair<std::size_t, std::size_t> TopTerminal::size() const {
  winsize size{};
  if (::ioctl(descriptor_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {80, 24};
  return {size.ws_col, size.ws_row};
}

void TopTerminal::show(const std::vector<std::string>& lines) const {
  std::string screen = "\x1b[H";
  for (std::size_t line = 0; line < lines.size(); ++line) screen += (line == 0 ? "" : "\r\n") + lines[line] + "\x1b[K";
  write(screen + "\x1b[J");
}

std::optional<std::string> TopTerminal::keys(std::int64_t milliseconds) const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, static_cast<int>(milliseconds)) <= 0) return std::string();
  char bytes[64];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
  if (got <= 0) return std::nullopt;
  return keys_of({bytes, static_cast<std::size_t>(got)});
}

void TopTerminal::write(const std::string& text) const {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t some = ::write(descriptor_, text.data() + written, text.size() - written);
    if (some < 0 && errno != EINTR) return;  // the terminal has gone, which keys() will tell
    if (some > 0) written += static_cast<std::size_t>(some);
  }
}

void note_interruptions() {
  struct sigaction action {};
  action.sa_handler = [](int) { signaled = 1; };  // without SA_RESTART: poll() returns
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

bool interrupted() noexcept { return signaled != 0; }

}  // namespace laxity::cli
