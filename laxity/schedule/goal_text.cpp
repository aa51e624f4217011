#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/schedule/goal_file.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::schedule {
namespace {

using laxity::detail::quoted;
using laxity::detail::TextScanner;

class GoalParser {
 public:
  GoalParser(std::string_view text, const std::string& file) : scanner_(file, text) {}

  Schedule parse() {
    if (const std::string_view head = next(); head != "num_ranks") fail(head, "expected num_ranks");
    Schedule schedule(static_cast<std::uint32_t>(number("the number of ranks", 1, max_ranks)));
    std::uint32_t begun = 0;
    for (std::string_view word = next(); !word.empty(); word = next()) {
      if (word != "rank") fail(word, "expected rank");
      const auto rank = static_cast<std::uint32_t>(number("a rank", 0, schedule.ranks() - 1));
      if (rank < begun) fail(last_, "ranks follow in ascending order");
      expect("{");
      for (; begun <= rank; ++begun) schedule.begin_rank();
      parse_rank(schedule);
    }
    return schedule;
  }

 private:
  static constexpr std::uint64_t max_ranks = std::uint64_t{1} << 24;
  static constexpr std::uint64_t max_number = std::uint64_t{1} << 60;

  void parse_rank(Schedule& schedule) {
    labels_.clear();
    OpId ops = 0;
    for (;;) {
      const std::string_view word = next();
      if (word.empty()) fail(scanner_.at(), "a rank ends with }");
      if (word == "}") return;
      if (is_action(word)) {
        parse_op(schedule, word);
        ++ops;
      } else if (word.back() == ':') {
        label(word.substr(0, word.size() - 1), ops++);
        parse_op(schedule, next());
      } else {
        parse_labeled(schedule, word, ops);
      }
    }
  }

  // "l1 : send ..." or "l1 requires l0"
  void parse_labeled(Schedule& schedule, std::string_view name, OpId& ops) {
    const std::string_view word = next();
    if (word == ":") {
      label(name, ops++);
      return parse_op(schedule, next());
    }
    if (word != "requires" && word != "irequires") fail(word, "expected :, requires or irequires");
    const OpId after = op_labeled(name);
    const std::string_view other = next();
    const OpId before = op_labeled(other);
    if (before == after) fail(other, "an operation cannot wait for itself");
    schedule.require({before, after, word == "irequires"});
  }

  static bool is_action(std::string_view word) { return word == "send" || word == "recv" || word == "calc"; }

  void parse_op(Schedule& schedule, std::string_view action) {
    if (!is_action(action)) fail(action, "expected send, recv or calc");
    Op op;
    if (action == "calc") {
      op.size = number("a time in ns", 0, max_number);
    } else {
      const bool sends = action == "send";
      op.action = sends ? Action::send : Action::receive;
      const std::string_view size = next();
      if (size.empty() || size.back() != 'b') fail(size, "expected a number of bytes, as in 8b");
      op.size = value_of(size.substr(0, size.size() - 1), "a number of bytes", 0, max_number);
      expect(sends ? "to" : "from");
      op.peer = sends ? small("a rank") : small_or_any("a rank");
    }
    parse_attributes(op);
    static_cast<void>(schedule.add(op, {}));
  }

  void parse_attributes(Op& op) {
    for (;;) {
      const TextScanner before = scanner_;
      const std::string_view word = next();
      if (word == "tag" && op.action != Action::compute) {
        op.tag = small_or_any("a tag");
      } else if (word == "cpu") {
        op.cpu = static_cast<std::uint8_t>(number("a processor", 0, 255));
      } else if (word == "nic") {
        op.nic = static_cast<std::uint8_t>(number("an interface", 0, 255));
      } else {
        scanner_ = before;
        return;
      }
    }
  }

  void label(std::string_view name, OpId op) {
    const bool is_new = labels_.try_emplace(name, op).second;
    if (!is_new) fail(name, "this label is taken");
  }
  [[nodiscard]] OpId op_labeled(std::string_view name) {
    const auto found = labels_.find(name);
    if (found == labels_.end()) fail(name, "no operation of this rank has the label " + quoted(name));
    return found->second;
  }

  // The next word, over blanks, line ends and comments; empty at the end of the text.
  std::string_view next() {
    for (;;) {
      while (!scanner_.at_end() && (scanner_.skip_blanks(), scanner_.at_line_end()) && !scanner_.at_end())
        scanner_.next_line();
      const std::string_view word = scanner_.word();
      last_ = word.data();
      if (word.starts_with("//")) {
        scanner_.skip_rest_of_line();
      } else if (word.starts_with("/*")) {
        skip_comment(word);
      } else {
        return word;
      }
    }
  }
  void skip_comment(std::string_view first) {
    for (std::string_view word = first.substr(2);;) {
      if (word.find("*/") != std::string_view::npos) return;
      while (!scanner_.at_end() && (scanner_.skip_blanks(), scanner_.at_line_end()) && !scanner_.at_end())
        scanner_.next_line();
      word = scanner_.word();
      if (word.empty()) fail(first, "this comment has no end");
    }
  }

  void expect(std::string_view word) {
    if (const std::string_view found = next(); found != word) fail(found, "expected " + std::string(word));
  }
  std::uint64_t number(const char* what, std::uint64_t low, std::uint64_t high) {
    return value_of(next(), what, low, high);
  }
  std::uint32_t small(const char* what) { return static_cast<std::uint32_t>(number(what, 0, any - 1)); }
  std::uint32_t small_or_any(const char* what) {
    const std::string_view word = next();
    return word == "-1" ? any : static_cast<std::uint32_t>(value_of(word, what, 0, any - 1));
  }
  [[nodiscard]] std::uint64_t value_of(std::string_view word, const char* what, std::uint64_t low, std::uint64_t high) {
    std::uint64_t value = 0;
    bool fits = !word.empty() && word.size() < 19;
    for (const char c : word) {
      fits = fits && c >= '0' && c <= '9';
      if (fits) value = 10 * value + static_cast<std::uint64_t>(c - '0');
    }
    if (!fits || value < low || value > high)
      fail(word, std::string("expected ") + what + ", " + std::to_string(low) + " to " + std::to_string(high));
    return value;
  }

  [[noreturn]] void fail(std::string_view word, const std::string& what) { fail(word.data(), what, quoted(word)); }
  [[noreturn]] void fail(const char* where, const std::string& what, const std::string& found = "") {
    scanner_.fail(where == nullptr ? scanner_.at() : where, found.empty() ? what : what + ", not " + found);
  }

  TextScanner scanner_;
  const char* last_ = nullptr;
  std::unordered_map<std::string_view, OpId> labels_;
};

void append_op(std::string& text, OpId id, const Op& op) {
  const auto value = [](std::uint32_t number) { return number == any ? std::string("-1") : std::to_string(number); };
  text += 'l' + std::to_string(id) + ": ";
  if (op.action == Action::compute) {
    text += "calc " + std::to_string(op.size);
  } else {
    const bool sends = op.action == Action::send;
    text += (sends ? "send " : "recv ") + std::to_string(op.size) + (sends ? "b to " : "b from ") + value(op.peer) +
            " tag " + value(op.tag);
  }
  if (op.cpu != 0) text += " cpu " + std::to_string(op.cpu);
  if (op.nic != 0 && op.action != Action::compute) text += " nic " + std::to_string(op.nic);
  text += '\n';
}

}  // namespace

std::string format_goal(const Schedule& schedule) {
  std::string text = "num_ranks " + std::to_string(schedule.ranks()) + "\n";
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    text += "\nrank " + std::to_string(rank) + " {\n";
    OpId id = 0;
    for (const Op& op : schedule.ops(rank)) append_op(text, id++, op);
    for (const Edge& edge : schedule.edges(rank))
      text += 'l' + std::to_string(edge.after) + (edge.start ? " irequires l" : " requires l") +
              std::to_string(edge.before) + '\n';
    text += "}\n";
  }
  return text;
}

Schedule parse_goal(std::string_view text, const std::string& file) { return GoalParser(text, file).parse(); }

}  // namespace laxity::schedule
