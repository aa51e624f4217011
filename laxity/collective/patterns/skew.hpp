// How far apart the first and the last process of a pattern arrive: the choice of the maximum skew.
//
// Source: Salimi Beni, Cosenza and Hunold, III-B (a share of the mean run time of all algorithms), IV-C (each
// algorithm's own run time, to see how robust it is), V-B (the largest skew of a traced application). A skew that is small
// beside the call changes nothing, a large one hides it. Threads: pure functions.
#pragma once

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

  /// The maximum skew in seconds for algorithm `algorithm`, from the last delays of all algorithms without skew, in
  /// seconds and in their order. Throws UsageError if there is no such algorithm.
  [[nodiscard]] double skew_s(const std::vector<double>& no_delay_s, std::size_t algorithm) const;

  friend bool operator==(const SkewPolicy&, const SkewPolicy&) = default;
};

/// "mean", "mean:1.5", "own", "own:0.5", "250us", "2ms", "0.1s". Throws UsageError that shows these.
[[nodiscard]] SkewPolicy parse_skew(std::string_view text);

/// The text that parses to it.
[[nodiscard]] std::string text_of(const SkewPolicy& policy);

}  // namespace laxity::collective
