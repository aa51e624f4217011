// The terminal of `laxity top`: keys at once, no cursor, a screen of its own; as it was when this object ends.
//
// A rank that mpirun has started has no terminal, but its launcher may: mpirun hands on what is typed there to the first
// rank, which draws there itself. Signals that end a program end the loop that asks interrupted().
// Threads: one; one object at a time. Elsewhere: what is drawn (top/screen.hpp).
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
  /// That of this process, if it has one; else, where `launched`, that of the launcher, if it is on this machine and in
  /// the foreground.
  [[nodiscard]] static std::optional<int> find(bool launched);

  /// Of what find() has found; closed in the end. Throws SystemError.
  explicit TopTerminal(int descriptor);
  TopTerminal(const TopTerminal&) = delete;
  TopTerminal& operator=(const TopTerminal&) = delete;
  ~TopTerminal();

  /// Columns and lines.
  [[nodiscard]] std::pair<std::size_t, std::size_t> size() const;
  void show(const std::vector<std::string>& lines) const;
  /// The keys of the next `milliseconds` at most, arrows as 'k' and 'j'; nothing once the terminal has gone.
  [[nodiscard]] std::optional<std::string> keys(std::int64_t milliseconds) const;

 private:
  void write(const std::string& text) const;

  int descriptor_;
  termios before_{};
};

/// Makes the signals that would end this program only be noted.
void note_interruptions();
[[nodiscard]] bool interrupted() noexcept;

}  // namespace laxity::cli
