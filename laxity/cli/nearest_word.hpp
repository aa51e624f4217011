// Suggests a known word for an unknown one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace laxity::cli {

/// The word of `known` with the smallest edit distance to `word` (insertions, deletions and replacements of one
/// character), or nothing if even that one differs in more than a third of its characters.
std::optional<std::string> nearest_word(const std::string& word, const std::vector<std::string>& known);

}  // namespace laxity::cli
