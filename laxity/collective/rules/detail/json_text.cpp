#include "laxity/collective/rules/detail/json_text.hpp"

#include <cstddef>

namespace laxity::collective::detail {
namespace {

using laxity::detail::TextScanner;

constexpr int max_depth = 64;

class Reader {
 public:
  Reader(std::string_view text, const TextScanner& scanner)
      : at_(text.data()), end_(text.data() + text.size()), scanner_(scanner) {}

  JsonValue whole() {
    JsonValue value = read_value(0);
    skip_blanks();
    if (at_ != end_) fail("expected nothing after the end of the JSON text");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { scanner_.fail(at_, what); }
  [[nodiscard]] char peek() const noexcept { return at_ == end_ ? '\0' : *at_; }

  void skip_blanks() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  }

  void expect(char wanted) {
    skip_blanks();
    if (peek() == wanted && at_ != end_) {
      ++at_;
      return;
    }
    fail(std::string("expected '") + wanted + "'; found " + (at_ == end_ ? "the end of the file" : found()));
  }

  [[nodiscard]] std::string found() const { return laxity::detail::quoted({at_, 1}); }

  JsonValue read_value(int depth) {
    skip_blanks();
    if (depth > max_depth) fail("expected at most " + std::to_string(max_depth) + " nested values");
    if (at_ == end_) fail("expected a value; the file ends here");
    JsonValue value;
    value.at = at_;
    if (*at_ == '{' || *at_ == '[') {
      read_members(value, depth);
    } else if (*at_ == '"') {
      value.kind = JsonValue::Kind::string;
      value.text = read_string();
    } else {
      read_word(value);
    }
    return value;
  }

  void read_members(JsonValue& value, int depth) {
    const bool is_object = *at_ == '{';
    const char close = is_object ? '}' : ']';
    value.kind = is_object ? JsonValue::Kind::object : JsonValue::Kind::array;
    ++at_;
    skip_blanks();
    if (at_ != end_ && *at_ == close) {
      ++at_;
      return;
    }
    for (;;) {
      JsonMember member;
      skip_blanks();
      member.key_at = at_;
      if (is_object) {
        if (peek() != '"') fail("expected a name in quotes");
        member.key = read_string();
        expect(':');
      }
      member.value = read_value(depth + 1);
      value.members.push_back(std::move(member));
      skip_blanks();
      if (at_ != end_ && *at_ == ',') {
        ++at_;
        continue;
      }
      expect(close);
      return;
    }
  }

  std::string_view read_string() {
    const char* const first = ++at_;
    while (at_ != end_ && *at_ != '"') {
      if (static_cast<unsigned char>(*at_) < ' ') fail("expected the closing quote before the end of the line");
      if (*at_ == '\\' && at_ + 1 != end_) ++at_;
      ++at_;
    }
    if (at_ == end_) fail("expected the closing quote; the file ends here");
    return {first, static_cast<std::size_t>(at_++ - first)};
  }

  // Reads a number, true, false or null.
  void read_word(JsonValue& value) {
    const char* const first = at_;
    constexpr std::string_view letters = "+-.0123456789Eaeflnrstu";
    while (at_ != end_ && letters.find(*at_) != std::string_view::npos) ++at_;
    value.text = {first, static_cast<std::size_t>(at_ - first)};
    if (value.text == "true" || value.text == "false") {
      value.kind = JsonValue::Kind::boolean;
    } else if (value.text != "null") {
      value.kind = JsonValue::Kind::number;
      const bool starts_well =
          !value.text.empty() && (value.text[0] == '-' || (value.text[0] >= '0' && value.text[0] <= '9'));
      at_ = starts_well ? at_ : first;
      if (!starts_well) fail("expected a value; found " + found());
    }
  }

  const char* at_;
  const char* end_;
  const TextScanner& scanner_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const noexcept {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

JsonValue parse_json(std::string_view text, const TextScanner& scanner) { return Reader(text, scanner).whole(); }

}  // namespace laxity::collective::detail
