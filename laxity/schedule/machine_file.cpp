#include "laxity/schedule/machine_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <span>

#include "laxity/error.hpp"
#include "laxity/schedule/detail/shipped_machines.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::schedule {
namespace {

[[noreturn]] void fail(const std::string& file, const toml::source_region& where, const std::string& what) {
  throw ParseError(file, std::max<long>(1, where.begin.line), std::max<long>(1, where.begin.column), what);
}

void refuse_unknown_keys(const std::string& file, const toml::table& table, std::span<const std::string_view> known) {
  for (const auto& [key, value] : table) {
    if (std::ranges::find(known, key.str()) != known.end()) continue;
    std::string names;
    for (const std::string_view name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    fail(file, key.source(), std::string(key.str()) + " is not known; there are " + names);
  }
}

double number_in(const std::string& file, const toml::table& table, std::string_view key) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) return 0;
  const auto value = node->value<double>();
  if (!value || !(*value >= 0)) fail(file, node->source(), std::string(key) + " must be a number that is not negative");
  return *value;
}

std::uint64_t count_in(const std::string& file, const toml::table& table, std::string_view key, std::uint64_t max) {
  const toml::node* const node = table.get(key);
  if (node == nullptr) return 0;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > max)
    fail(file, node->source(), std::string(key) + " must be a whole number, 0 to " + std::to_string(max));
  return static_cast<std::uint64_t>(*value);
}

std::string name_in(const std::string& file, const toml::table& table) {
  const toml::node* const node = table.get("name");
  if (node == nullptr) fail(file, table.source(), "name is missing");
  const auto value = node->value_exact<std::string>();
  if (!value || value->empty()) fail(file, node->source(), "name must be a text");
  return *value;
}

Level level_in(const std::string& file, const toml::table& table) {
  constexpr std::array<std::string_view, 6> known{"name",        "ranks",  "latency_us",
                                                  "overhead_us", "gap_us", "gap_per_byte_ns"};
  refuse_unknown_keys(file, table, known);
  return {.name = name_in(file, table),
          .ranks = static_cast<std::uint32_t>(count_in(file, table, "ranks", std::uint64_t{1} << 31)),
          .latency_us = number_in(file, table, "latency_us"),
          .overhead_us = number_in(file, table, "overhead_us"),
          .gap_us = number_in(file, table, "gap_us"),
          .gap_per_byte_ns = number_in(file, table, "gap_per_byte_ns")};
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& file) {
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    fail(file, error.source(), std::string(error.description()));
  }
  constexpr std::array<std::string_view, 3> known{"name", "eager_limit_bytes", "level"};
  refuse_unknown_keys(file, table, known);
  Machine machine;
  machine.name = name_in(file, table);
  machine.eager_limit_bytes = count_in(file, table, "eager_limit_bytes", std::numeric_limits<std::int64_t>::max());
  const toml::array* const levels = table["level"].as_array();
  if (levels == nullptr || levels->empty()) fail(file, table.source(), "at least one [[level]] is needed");
  for (const toml::node& level : *levels) {
    if (!level.is_table()) fail(file, level.source(), "a level is a table: [[level]]");
    machine.levels.push_back(level_in(file, *level.as_table()));
  }
  require_valid(machine);
  return machine;
}

Machine read_machine_file(const std::string& path) {
  return parse_machine(laxity::detail::read_whole_file(path), path);
}

std::vector<std::string> shipped_machine_names() {
  std::vector<std::string> names;
  for (const detail::ShippedMachine& machine : detail::shipped_machines()) names.emplace_back(machine.name);
  return names;
}

Machine machine_named(const std::string& name_or_path) {
  for (const detail::ShippedMachine& machine : detail::shipped_machines())
    if (machine.name == name_or_path) return parse_machine(machine.text, name_or_path);
  return read_machine_file(name_or_path);
}

std::string format_machine(const Machine& machine) {
  std::string text =
      "name = \"" + machine.name + "\"\neager_limit_bytes = " + std::to_string(machine.eager_limit_bytes) + "\n";
  for (const Level& level : machine.levels) {
    text += "\n[[level]]\nname = \"" + level.name + "\"\n";
    if (level.ranks != 0) text += "ranks = " + std::to_string(level.ranks) + "\n";
    text += "latency_us = " + shortest(level.latency_us) + "\noverhead_us = " + shortest(level.overhead_us) +
            "\ngap_us = " + shortest(level.gap_us) + "\ngap_per_byte_ns = " + shortest(level.gap_per_byte_ns) + "\n";
  }
  return text;
}

}  // namespace laxity::schedule
