// Reads rules files of Open MPI 6: JSON with an object "collectives" that has an array of communicator sizes for each
// collective, each with an array of rules by message size.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "laxity/collective/rules/detail/json_text.hpp"
#include "laxity/collective/rules/detail/rules_reader.hpp"

namespace laxity::collective::detail {
namespace {

using Kind = JsonValue::Kind;
using laxity::detail::quoted;

constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

class JsonRulesReader {
 public:
  explicit JsonRulesReader(RulesReader& reader) : reader_(reader) {}

  void read() {
    const JsonValue file = parse_json(reader_.text(), reader_.scanner());
    const JsonValue* const collectives = file.find("collectives");
    if (collectives == nullptr || collectives->kind != Kind::object) {
      reader_.fail(file.at,
                   "expected an object with a member \"collectives\", an object; Open MPI would ignore the file");
    }
    for (const JsonMember& member : collectives->members) read_collective(member);
  }

 private:
  void read_collective(const JsonMember& member) {
    int id = 0;
    while (!openmpi_collective_name(id).empty() && openmpi_collective_name(id) != member.key) ++id;
    if (openmpi_collective_name(id).empty()) {
      reader_.fail(member.key_at,
                   "expected the name of a collective such as \"reduce_scatter\"; found " + quoted(member.key));
    }
    if (member.value.kind != Kind::array) reader_.fail(member.value.at, "expected an array of communicator sizes");
    CollectiveRules collective{id, {}};
    for (const JsonMember& entry : member.value.members)
      collective.communicators.push_back(read_communicator(entry.value, id));
    reader_.result().rules.collectives.push_back(std::move(collective));
  }

  CommunicatorRules read_communicator(const JsonValue& entry, int id) {
    if (entry.kind != Kind::object) reader_.fail(entry.at, "expected an object with \"rules\" for a communicator size");
    const std::uint64_t smallest = number(entry, "comm_size_min", 0);
    const std::uint64_t largest = number(entry, "comm_size_max", unbounded);
    if (largest < smallest) reader_.warn(entry.at, "comm_size_max is below comm_size_min: the entry is never used");
    constexpr auto max_processes = static_cast<std::uint64_t>(RulesReader::unlimited);
    CommunicatorRules communicator{static_cast<int>(std::min(smallest, max_processes)), {}};
    const JsonValue* const rules = entry.find("rules");
    if (rules == nullptr || rules->kind != Kind::array) reader_.fail(entry.at, "expected a member \"rules\", an array");
    for (const JsonMember& rule : rules->members) {
      communicator.messages.push_back(
          read_rule(rule.value, id, communicator.from_processes, static_cast<int>(std::min(largest, max_processes))));
      if (largest == unbounded && is_choice(rule.value)) {
        reader_.warn(rule.value.at, "applies to communicators of any larger number of processes; set comm_size_max");
      }
    }
    return communicator;
  }

  MessageRule read_rule(const JsonValue& value, int id, int smallest, int largest) {
    if (value.kind != Kind::object) reader_.fail(value.at, "expected an object with \"alg\" for a rule");
    MessageRule rule;
    rule.from_bytes = number(value, "msg_size_min", 0);
    const std::uint64_t to_bytes = number(value, "msg_size_max", unbounded);
    if (id != openmpi_id(Collective::barrier) && is_choice(value) && (rule.from_bytes == 0 || to_bytes == unbounded)) {
      reader_.warn(
          value.at,
          "applies to messages that were not measured: set msg_size_min to half of the smallest measured size and "
          "msg_size_max to twice the largest");
    }
    if (to_bytes < rule.from_bytes) {
      reader_.warn(value.at, "msg_size_max is below msg_size_min: the rule is never used");
    }
    rule.fanout = setting(value, "faninout");
    rule.segment_bytes = setting(value, "seg_size");
    rule.max_requests = setting(value, "reqs");
    const JsonValue* const algorithm = value.find("alg");
    if (algorithm == nullptr)
      reader_.fail(value.at, "expected a member \"alg\", the number or the name of an algorithm");
    if (algorithm->kind == Kind::string) return rule;  // names cannot be checked without the library
    rule.algorithm = setting(value, "alg");
    reader_.check_algorithm(algorithm->at, id, rule, smallest, largest, OpenMpiForm::json);
    return rule;
  }

  // Whether a rule chooses an algorithm: 0 is the library's own choice.
  static bool is_choice(const JsonValue& rule) {
    const JsonValue* const algorithm = rule.find("alg");
    return algorithm != nullptr && algorithm->text != "0";
  }

  int setting(const JsonValue& object, std::string_view key) {
    const std::uint64_t value = number(object, key, 0);
    if (value > static_cast<std::uint64_t>(RulesReader::unlimited)) {
      reader_.fail(object.find(key)->at, std::string(key) + " is too large");
    }
    return static_cast<int>(value);
  }

  std::uint64_t number(const JsonValue& object, std::string_view key, std::uint64_t otherwise) {
    const JsonValue* const member = object.find(key);
    if (member == nullptr) return otherwise;
    if (member->kind == Kind::string && (member->text == "inf" || member->text == "Inf" || member->text == "INF")) {
      return unbounded;
    }
    std::uint64_t value = 0;
    const std::string_view text = member->text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (member->kind != Kind::number || error != std::errc() || end != text.data() + text.size()) {
      reader_.fail(member->at, "expected " + std::string(key) + ", an integer (0 or more) or \"inf\"");
    }
    return value;
  }

  RulesReader& reader_;
};

}  // namespace

void read_openmpi_json(RulesReader& reader) { JsonRulesReader(reader).read(); }

}  // namespace laxity::collective::detail
