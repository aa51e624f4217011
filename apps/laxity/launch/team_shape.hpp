// The shape of a team as users write it: 2t, 2p, 2p3t.
#pragma once

#include <string>

namespace laxity::cli {

/// Threads of this process (processes = 0), or forked processes or MPI ranks with some threads each.
struct Shape {
  int threads = 1;
  int processes = 0;
  bool ranks = false;
  [[nodiscard]] int workers() const noexcept { return threads * (processes == 0 ? 1 : processes); }
  /// "2t", "2p", "2p3t", "2r", "2r3t"
  [[nodiscard]] std::string text() const;
};

/// Reads "2t", "2p" or "2p3t". Throws UsageError.
[[nodiscard]] Shape shape_named(const std::string& text);

}  // namespace laxity::cli
