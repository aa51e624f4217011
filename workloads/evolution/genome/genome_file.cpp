#include "workloads/evolution/genome/genome_file.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "laxity/text_scanner.hpp"
#include "workloads/evolution/cpu/disassembly.hpp"

namespace laxity::evolution {
namespace {

using laxity::detail::quoted;
using laxity::detail::TextScanner;

constexpr std::string_view first_line = "laxity-genome 1";

// In the order of Event.
constexpr std::array<std::string_view, event_count> event_names{"always",
                                                                "newborn",
                                                                "child_cell_of_neighbor",
                                                                "parent_cell_of_neighbor",
                                                                "parent_fragmented",
                                                                "neighbor_alive",
                                                                "neighbor_not_alive",
                                                                "neighbor_newborn",
                                                                "neighbor_dying",
                                                                "neighbor_fragmented",
                                                                "lineage_match",
                                                                "lineage_mismatch",
                                                                "richer_than_neighbor",
                                                                "poorer_than_neighbor",
                                                                "received_resource",
                                                                "stockpile_depleted",
                                                                "stockpile_sufficient",
                                                                "child_group_of_neighbor_0",
                                                                "child_group_of_neighbor_1",
                                                                "kin_match_0",
                                                                "kin_match_1",
                                                                "kin_mismatch_0",
                                                                "kin_mismatch_1",
                                                                "group_will_expire_0",
                                                                "group_will_expire_1",
                                                                "group_will_not_expire_0",
                                                                "group_will_not_expire_1",
                                                                "neighbor_group_will_expire_0",
                                                                "neighbor_group_will_expire_1",
                                                                "neighbor_quorum_exceeded_0",
                                                                "neighbor_quorum_exceeded_1",
                                                                "quorum_exceeded_0",
                                                                "quorum_exceeded_1",
                                                                "quorum_not_exceeded_0",
                                                                "quorum_not_exceeded_1"};
static_assert(!event_names.back().empty());

// The fields before the events, in the order of the file: visit(name, field) for each.
template <class GenomeLike, class Visit>
void for_each_number(GenomeLike& genome, Visit visit) {
  visit("lineage", genome.descent.lineage);
  visit("individual", genome.descent.individual);
  visit("strata", genome.descent.strata);
  for (std::size_t level = 0; level < kin_levels; ++level) {
    const std::string suffix = std::string("_") + std::to_string(level);
    visit("kin_group" + suffix, genome.kin.ids[level]);
    visit("kin_ancestor" + suffix, genome.kin.ancestors[level]);
    visit("kin_founded_epoch" + suffix, genome.kin.founded_epoch[level]);
  }
  for (std::size_t level = 0; level <= kin_levels; ++level) {
    visit("generations_" + std::to_string(level), genome.descent.generations[level]);
  }
  visit("insertions", genome.descent.insertions);
  visit("deletions", genome.descent.deletions);
  visit("bit_flips", genome.descent.bit_flips);
}

// Ids and tags are hexadecimal, counts are decimal.
std::string text_of(std::uint64_t value) { return text_of_tag(value); }
std::string text_of(std::uint32_t value) { return std::to_string(value); }

std::string digits_of(const Instruction& instruction) {
  Tag head = instruction.byte;
  for (const std::uint8_t argument : instruction.arguments) head = head << 8 | argument;
  return text_of_tag(head).substr(8) + text_of_tag(instruction.tag());
}

class Reader {
 public:
  Reader(const std::string& name, std::string_view text) : scanner_(name, text) {}

  Genome read() {
    Genome genome;
    if (first_line_of_file() != first_line) {
      scanner_.fail(begin_, "expected \"" + std::string(first_line) + "\": this is no genome");
    }
    for_each_number(genome, [&](const std::string& name, auto& field) { read_line(name, field); });
    for (std::size_t event = 0; event < event_count; ++event) {
      read_line("event " + std::string(event_names[event]), genome.event_tags[event]);
    }
    std::uint32_t length = 0;
    read_line("program", length);
    if (length == 0 || length > max_program_length) {
      scanner_.fail(begin_, "a program has 1 to " + std::to_string(max_program_length) + " instructions");
    }
    genome.program.resize(length);
    for (Instruction& instruction : genome.program) read_instruction(instruction);
    if (const std::string_view more = next_word(); !more.empty()) {
      scanner_.fail(begin_, quoted(more) + " follows the last of " + std::to_string(length) + " instructions");
    }
    return genome;
  }

 private:
  std::string_view first_line_of_file() {
    begin_ = scanner_.at();
    scanner_.skip_rest_of_line();
    std::string_view line(begin_, static_cast<std::size_t>(scanner_.at() - begin_));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    return line;
  }

  // The next word, on this line or after empty lines and comments; empty at the end of the file.
  std::string_view next_word() {
    for (;;) {
      const std::string_view word = scanner_.word(';');
      begin_ = scanner_.at() - word.size();
      if (!word.empty() || scanner_.at_end()) return word;
      scanner_.next_line();
    }
  }

  void expect(std::string_view expected) {
    const std::string_view word = next_word();
    if (word == expected) return;
    scanner_.fail(begin_,
                  "expected " + quoted(expected) + (word.empty() ? ", but the file ends" : ", not " + quoted(word)));
  }

  void read_line(const std::string& name, auto& field) {
    const std::size_t blank = name.find(' ');
    expect(std::string_view(name).substr(0, blank));
    if (blank != std::string::npos) expect(std::string_view(name).substr(blank + 1));
    read_value(field);
  }

  void read_value(std::uint64_t& value) {
    const std::string_view word = next_word();
    if (word.size() != 16 || !parse(word, value, 16))
      scanner_.fail(begin_, quoted(word) + " is not 16 hexadecimal digits");
  }
  void read_value(std::uint32_t& value) {
    const std::string_view word = next_word();
    if (!parse(word, value, 10)) {
      scanner_.fail(begin_, quoted(word) + " is no number from 0 to " +
                                std::to_string(std::numeric_limits<std::uint32_t>::max()));
    }
  }

  void read_instruction(Instruction& instruction) {
    const std::string_view word = next_word();
    std::uint32_t head = 0;
    Tag tag = 0;
    if (word.size() != 24 || !parse(word.substr(0, 8), head, 16) || !parse(word.substr(8), tag, 16)) {
      scanner_.fail(begin_, word.empty() ? "expected an instruction, but the file ends"
                                         : quoted(word) + " is not 24 hexadecimal digits");
    }
    instruction.byte = static_cast<std::uint8_t>(head >> 24);
    for (std::size_t i = 0; i < 3; ++i) instruction.arguments[i] = static_cast<std::uint8_t>(head >> (8 * (2 - i)));
    instruction.tag_halves = {static_cast<std::uint32_t>(tag), static_cast<std::uint32_t>(tag >> 32)};
  }

  static bool parse(std::string_view word, auto& value, int base) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    return error == std::errc{} && end == word.data() + word.size();
  }

  TextScanner scanner_;
  const char* begin_ = nullptr;  // of the word read last
};

}  // namespace

std::string_view name_of(Event event) noexcept { return event_names[static_cast<std::size_t>(event)]; }

std::string format_genome(const Genome& genome) {
  std::string text = std::string(first_line) + "\n";
  for_each_number(genome,
                  [&](const std::string& name, const auto& field) { text += name + " " + text_of(field) + "\n"; });
  for (std::size_t event = 0; event < event_count; ++event) {
    text += "event " + std::string(event_names[event]) + " " + text_of_tag(genome.event_tags[event]) + "\n";
  }
  text += "program " + std::to_string(genome.program.size()) + "\n";
  for (const Instruction& instruction : genome.program) {
    text += digits_of(instruction) + "  ; " + disassemble(instruction) + "\n";
  }
  return text;
}

// Written by hand: no name or value has a character that JSON escapes.
std::string format_genome_json(const Genome& genome) {
  std::string text = "{\n  \"format\": 1";
  for_each_number(genome, [&](const std::string& name, const auto& field) {
    const bool is_id = sizeof field == sizeof(std::uint64_t);
    text += ",\n  \"" + name + "\": " + (is_id ? std::string("\"") + text_of(field) + "\"" : text_of(field));
  });
  text += ",\n  \"events\": {";
  for (std::size_t event = 0; event < event_count; ++event) {
    text += std::string(event == 0 ? "" : ",") + "\n    \"" + std::string(event_names[event]) + "\": \"" +
            text_of_tag(genome.event_tags[event]) + "\"";
  }
  text += "\n  },\n  \"program\": [";
  for (std::size_t i = 0; i < genome.program.size(); ++i) {
    const Instruction& instruction = genome.program[i];
    text += std::string(i == 0 ? "" : ",") + "\n    {\"instruction\": \"" +
            std::string(describe(instruction.opcode()).name) + "\", \"byte\": " + std::to_string(instruction.byte) +
            ", \"arguments\": [";
    for (std::size_t a = 0; a < 3; ++a) text += (a == 0 ? "" : ", ") + std::to_string(instruction.arguments[a]);
    text += "], \"tag\": \"" + text_of_tag(instruction.tag()) + "\"}";
  }
  return text + "\n  ]\n}\n";
}

Genome parse_genome(const std::string& name, std::string_view text) { return Reader(name, text).read(); }

Genome read_genome_file(const std::string& path) { return parse_genome(path, laxity::detail::read_whole_file(path)); }

}  // namespace laxity::evolution
