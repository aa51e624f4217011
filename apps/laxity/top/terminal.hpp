// The terminal of `laxity top`: unbuffered keys, no cursor, the alternate screen. The destructor restores the terminal.
//
// A rank started by mpirun has no terminal, but its launcher may have one: mpirun forwards its input to the first rank,
// which draws there itself. Signals that end a program set interrupted() instead.
// Threads: one; one object at a time.
// Elsewhere: the content of the screen (top/screen.hpp).
#pragma once

#include <termios.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace laxity::cli {

class TopTerminal {
 public:
  /// The terminal of this process; if it has none and was `launched`, that of the launcher, provided that the launcher is
  /// on this host and in the foreground.
  [[nodiscard]] static std::optional<int> find(bool launched);

  /// Takes ownership of a descriptor from find(). Throws SystemError.
  explicit TopTerminal(int descriptor);
  TopTerminal(const TopTerminal&) = delete;
  TopTerminal& operator=(const TopTerminal&) = delete;
  ~TopTerminal();

  /// Columns and lines.
  [[nodiscard]] std::pair<std::size_t, std::size_t> size() const;
  void show(const std::vector<std::string>& lines) const;
  /// The keys of the next `milliseconds` at most, arrows and the like as TopKey; nothing once the terminal has gone.
  [[nodiscard]] std::optional<std::string> keys(std::int64_t milliseconds) const;

 private:
  void write(const std::string& text) const;

  int descriptor_;
  termios before_{};
};

/// From now on signals that would end this program only set interrupted().
void note_interruptions();
[[nodiscard]] bool interrupted() noexcept;

}  // namespace laxity::cli
