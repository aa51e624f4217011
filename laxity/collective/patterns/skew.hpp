// The maximum skew of a pattern: the time between the arrivals of its first and its last process.
//
// Source: Salimi Beni, Cosenza and Hunold, III-B (a multiple of the mean run time of all algorithms), IV-C (each
// algorithm's own run time, to measure its robustness), V-B (the largest skew of a traced application). A skew much
// shorter than the call has no effect; a skew much longer dominates it. Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace laxity::collective {

struct SkewPolicy {
  enum class Kind {
    mean,   ///< factor * mean over the algorithms of the last delay without skew
    own,    ///< factor * the algorithm's own last delay without skew
    given,  ///< seconds
  };
  Kind kind = Kind::mean;
  double factor = 1;   ///< of mean and own
  double seconds = 0;  ///< of given

  /// The maximum skew for the algorithm of index `algorithm`, in seconds. `no_delay_s` has the last delay of each
  /// algorithm without skew. Throws UsageError if the index is out of range.
  [[nodiscard]] double skew_s(const std::vector<double>& no_delay_s, std::size_t algorithm) const;

  friend bool operator==(const SkewPolicy&, const SkewPolicy&) = default;
};

/// Parses "mean", "mean:1.5", "own", "own:0.5", "250us", "2ms", "0.1s". Throws UsageError that lists these forms.
[[nodiscard]] SkewPolicy parse_skew(std::string_view text);

/// The text from which parse_skew() makes the same policy.
[[nodiscard]] std::string text_of(const SkewPolicy& policy);

}  // namespace laxity::collective
