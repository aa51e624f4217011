// JSON that remembers where everything stood, so that a rule that makes no sense can be shown to who wrote it.
//
// Source: RFC 8259. Text is kept as it stands, escapes included: the words that rules files know have none.
// Errors: ParseError with line and column. Depth is bounded; memory is linear in the text.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "laxity/text_scanner.hpp"

namespace laxity::collective::detail {

struct JsonMember;

struct JsonValue {
  enum class Kind { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  const char* at = nullptr;         ///< where it begins in the text
  std::string_view text;            ///< of a number or a string, without its quotes
  std::vector<JsonMember> members;  ///< of an object; of an array too, whose keys are empty

  /// The value of the first member of this name; nullptr if there is none.
  [[nodiscard]] const JsonValue* find(std::string_view key) const noexcept;
};

struct JsonMember {
  std::string_view key;
  const char* key_at = nullptr;
  JsonValue value;
};

/// The one value that is the text. `scanner` knows the text and names the file in errors; both must outlive the result.
[[nodiscard]] JsonValue parse_json(std::string_view text, const laxity::detail::TextScanner& scanner);

}  // namespace laxity::collective::detail
