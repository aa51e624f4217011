// The first difference between two runs: the first committed event that is not the same in both.
//
// Threads: any. Elsewhere: the logs (event_log.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "laxity/timewarp/key.hpp"
#include "laxity/timewarp/log/event_log.hpp"

namespace laxity::timewarp {

struct LogDifference {
  enum class What { only_in_first, only_in_second, receiver, payload, state };
  What what;
  LoggedEvent first;   ///< the event in the first log; that of the second log if only that has it
  LoggedEvent second;  ///< the event in the second log; equals `first` if only one log has it
};

struct LogComparison {
  std::uint64_t equal = 0;  ///< number of equal events before the difference
  std::optional<LogDifference> difference{};
  LogHeader header{};
};

/// Compares two logs in the order of keys, up to the first difference. Throws UsageError if they belong to different
/// models, and what EventLogReader throws.
[[nodiscard]] LogComparison compare_event_logs(const std::filesystem::path& first, const std::filesystem::path& second);

/// The time of the key as a decimal number.
[[nodiscard]] std::string time_text(const LogHeader& header, const Key& key);

}  // namespace laxity::timewarp
