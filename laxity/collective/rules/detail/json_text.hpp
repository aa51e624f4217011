// A JSON parser that keeps the position of every value, so that errors in rules can be reported with line and column.
//
// Source: RFC 8259. Escape sequences in strings are not decoded, since names in rules files have none.
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
  const char* at = nullptr;         ///< position in the text
  std::string_view text;            ///< of a number, or of a string without its quotes
  std::vector<JsonMember> members;  ///< of an object, or of an array, whose keys are empty

  /// The value of the first member with this name; nullptr if there is none.
  [[nodiscard]] const JsonValue* find(std::string_view key) const noexcept;
};

struct JsonMember {
  std::string_view key;
  const char* key_at = nullptr;
  JsonValue value;
};

/// Parses a text that consists of one value. `scanner` reports errors in the text; both must outlive the result.
[[nodiscard]] JsonValue parse_json(std::string_view text, const laxity::detail::TextScanner& scanner);

}  // namespace laxity::collective::detail
