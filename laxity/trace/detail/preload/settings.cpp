#include "laxity/trace/detail/preload/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "laxity/error.hpp"

namespace laxity::trace::preload {
namespace {

std::uint32_t parse_number(std::string_view text, const std::string& where) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw UsageError(where + ": expected a number; found '" + std::string(text) + "'");
  }
  return value;
}

}  // namespace

bool Settings::includes(std::uint32_t rank) const noexcept {
  for (const auto& [first, last] : processes) {
    if (first <= rank && rank <= last) return true;
  }
  return processes.empty();
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> parse_ranks(std::string_view text) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(range.size());
    if (text.starts_with(',')) text.remove_prefix(1);
    const std::size_t dash = range.find('-');
    const std::string where = "ranks " + std::string(range);
    const std::uint32_t first = parse_number(range.substr(0, dash), where);
    const std::uint32_t last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1), where);
    if (last < first) throw UsageError(where + ": the range is empty, since its first rank exceeds its last");
    ranges.emplace_back(first, last);
  }
  return ranges;
}

Settings settings_from_environment() {
  Settings settings;
  if (const char* directory = std::getenv("LAXITY_TRACE_DIR"); directory != nullptr && *directory != '\0') {
    settings.directory = directory;
  }
  if (const char* every = std::getenv("LAXITY_TRACE_EVERY"); every != nullptr && *every != '\0') {
    settings.every = parse_number(every, "LAXITY_TRACE_EVERY");
    if (settings.every == 0) throw UsageError("LAXITY_TRACE_EVERY: must be at least 1");
  }
  if (const char* processes = std::getenv("LAXITY_TRACE_PROCESSES"); processes != nullptr) {
    settings.processes = parse_ranks(processes);
  }
  return settings;
}

std::string preload_without_this_library(std::string_view value) {
  std::string kept;
  while (!value.empty()) {
    const std::string_view entry = value.substr(0, value.find_first_of(": "));
    value.remove_prefix(std::min(entry.size() + 1, value.size()));
    const std::string_view file = entry.substr(entry.rfind('/') + 1);
    if (entry.empty() || file.starts_with("liblaxity_trace")) continue;
    if (!kept.empty()) kept += ':';
    kept += entry;
  }
  return kept;
}

}  // namespace laxity::trace::preload
