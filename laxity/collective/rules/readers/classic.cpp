// Reads rules files of Open MPI, versions 1 and 2: integers, and comments from '#' to the end of the line.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <vector>

#include "laxity/collective/rules/detail/rules_reader.hpp"

namespace laxity::collective::detail {
namespace {

using laxity::detail::quoted;
using laxity::detail::TextScanner;

constexpr int max_collectives = 22;
constexpr int max_int = std::numeric_limits<int>::max();
constexpr std::string_view version_word = "rule-file-version-";

class ClassicReader {
 public:
  ClassicReader(RulesReader& reader, OpenMpiForm form) : reader_(reader), text_(reader.scanner()), form_(form) {}

  void read() {
    if (form_ == OpenMpiForm::version_2) read_version();
    const auto collectives = number("NCOLL, the number of collectives", max_collectives);
    std::array<bool, max_collectives> seen{};
    for (std::uint64_t i = 0; i < collectives; ++i) {
      const auto id = static_cast<int>(number("COLLID, the number of a collective", max_collectives - 1));
      if (seen[static_cast<std::size_t>(id)]) {
        reader_.warn(last_number_, "these rules for " + name(id) + " replace earlier ones");
      }
      seen[static_cast<std::size_t>(id)] = true;
      read_collective(id);
    }
    skip_to_word();
    if (!text_.at_end()) {
      reader_.fail(text_.at(), "expected the end of the file: NCOLL says " + std::to_string(collectives) +
                                   " collectives; what follows them would be ignored");
    }
  }

 private:
  void read_version() {
    const std::string_view word = text_.word('#');
    if (word != "rule-file-version-1" && word != "rule-file-version-2") {
      reader_.fail(word.data() + version_word.size(),
                   "expected version 1 or 2; Open MPI would ignore or misread the file");
    }
    has_requests_ = word.back() == '2';
  }

  void read_collective(int id) {
    CollectiveRules collective{id, {}};
    const auto sizes = number("NCOMM, the number of communicator sizes for " + name(id), max_int);
    const char* first_size = nullptr;
    for (std::uint64_t i = 0; i < sizes; ++i) {
      CommunicatorRules communicator;
      communicator.from_processes = static_cast<int>(number("COMMSIZE, a number of processes", max_int));
      if (i == 0) first_size = last_number_;
      if (i > 0 && communicator.from_processes <= collective.communicators.back().from_processes) {
        reader_.fail(last_number_, "expected a COMMSIZE above " +
                                       std::to_string(collective.communicators.back().from_processes) +
                                       ", that of the previous entry; the lookup requires ascending order");
      }
      if (i > 0) check_last_rules(collective, communicator.from_processes - 1);
      read_messages(communicator);
      collective.communicators.push_back(std::move(communicator));
    }
    if (sizes > 0) {
      check_last_rules(collective, RulesReader::unlimited);
      check_guard(collective, first_size);
    }
    reader_.result().rules.collectives.push_back(std::move(collective));
  }

  void read_messages(CommunicatorRules& communicator) {
    algorithm_places_.clear();
    const auto rules = number("NMSG, the number of rules by message size", max_int);
    if (rules == 0) reader_.fail(last_number_, "expected at least one rule; the first is for messages from 0 bytes");
    for (std::uint64_t i = 0; i < rules; ++i) {
      MessageRule rule;
      rule.from_bytes = number("MSGSIZE, a number of bytes", std::numeric_limits<std::int64_t>::max());
      if (i == 0 && rule.from_bytes != 0) {
        reader_.fail(last_number_, "expected 0: the first MSGSIZE must be 0, or Open MPI ignores the file");
      }
      if (i > 0 && rule.from_bytes <= communicator.messages.back().from_bytes) {
        reader_.fail(last_number_, "expected a MSGSIZE above " +
                                       std::to_string(communicator.messages.back().from_bytes) +
                                       ", that of the previous rule; the lookup requires ascending order");
      }
      rule.algorithm = static_cast<int>(number("ALG, the number of an algorithm", max_int));
      algorithm_places_.push_back(last_number_);
      rule.fanout = static_cast<int>(number("FANINOUT", max_int));
      rule.segment_bytes = static_cast<int>(number("SEGSIZE, a number of bytes", max_int));
      if (has_requests_ && another_on_this_line())
        rule.max_requests = static_cast<int>(number("a number of requests", max_int));
      communicator.messages.push_back(rule);
    }
  }

  // Checks the rules of the last entry, which apply to communicators of up to `largest` processes.
  void check_last_rules(const CollectiveRules& collective, int largest) {
    const CommunicatorRules& last = collective.communicators.back();
    for (std::size_t i = 0; i < last.messages.size(); ++i) {
      reader_.check_algorithm(algorithm_places_[i], collective.collective_id, last.messages[i], last.from_processes,
                              largest, form_);
    }
    check_bounds(collective, largest);
  }

  // A choice for messages or communicators of every size applies where nothing was measured.
  void check_bounds(const CollectiveRules& collective, int largest) {
    const std::vector<MessageRule>& rules = collective.communicators.back().messages;
    const bool has_messages = collective.collective_id != openmpi_id(Collective::barrier);
    if (has_messages && rules.front().algorithm != 0) {
      reader_.warn(
          algorithm_places_.front(),
          "this rule has no lower bound: it applies to messages down to 0 bytes; insert the rule 0 0 0 0 before "
          "it, and begin it at half of the smallest measured size");
    }
    if (has_messages && rules.back().algorithm != 0) {
      reader_.warn(algorithm_places_.back(),
                   "this rule has no upper bound: it applies to messages of any larger size; end with a rule of "
                   "algorithm 0, which begins above twice the largest measured size");
    }
    const auto chosen = std::find_if(rules.begin(), rules.end(), [](const auto& rule) { return rule.algorithm != 0; });
    if (largest == RulesReader::unlimited && chosen != rules.end()) {
      reader_.warn(algorithm_places_[static_cast<std::size_t>(chosen - rules.begin())],
                   "communicators of any larger number of processes use these rules, too; add an entry for one more "
                   "process than was measured, with the single rule 0 0 0 0");
    }
  }

  // The lookup ends at the last entry before a larger COMMSIZE, so a communicator below the first entry uses it, too.
  void check_guard(const CollectiveRules& collective, const char* where) {
    const CommunicatorRules& first = collective.communicators.front();
    bool chooses = false;
    for (const MessageRule& rule : first.messages) chooses = chooses || rule.algorithm != 0;
    if (first.from_processes > 2 && chooses) {
      reader_.warn(where, "communicators of fewer than " + std::to_string(first.from_processes) +
                              " processes use these rules, too; insert an entry for 1 process with the single rule "
                              "0 0 0 0 before it");
    }
  }

  static std::string name(int id) { return std::string(openmpi_collective_name(id)); }

  void skip_to_word() {
    for (;;) {
      text_.skip_blanks();
      if (text_.peek() == '#') text_.skip_rest_of_line();
      if (text_.at_end() || !text_.at_line_end()) return;
      text_.next_line();
    }
  }

  bool another_on_this_line() {
    text_.skip_blanks();
    return text_.peek() >= '0' && text_.peek() <= '9';
  }

  std::uint64_t number(const std::string& what, std::uint64_t high) {
    skip_to_word();
    if (text_.at_end()) reader_.fail(text_.at(), "expected " + what + "; the file ends here and may be truncated");
    const std::string_view word = text_.word('#');
    last_number_ = word.data();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value > high) {
      reader_.fail(last_number_,
                   "expected " + what + ", an integer in 0.." + std::to_string(high) + "; found " + quoted(word));
    }
    if (word.size() > 1 && word.front() == '0') {
      reader_.fail(last_number_, "expected no leading zero: Open MPI reads " + quoted(word) +
                                     " as an octal number; write " + std::to_string(value));
    }
    return value;
  }

  RulesReader& reader_;
  TextScanner& text_;
  OpenMpiForm form_;
  bool has_requests_ = false;
  const char* last_number_ = nullptr;          // position of the last number
  std::vector<const char*> algorithm_places_;  // positions of the algorithms of the last entry
};

}  // namespace

void read_classic_rules(RulesReader& reader, OpenMpiForm form) { ClassicReader(reader, form).read(); }

}  // namespace laxity::collective::detail
