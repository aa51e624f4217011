#include "workloads/evolution/world/parameters_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <set>
#include <type_traits>

#include "laxity/text_scanner.hpp"

namespace laxity::evolution {
namespace {

using laxity::detail::quoted;
using laxity::detail::TextScanner;

struct Range {
  double low;
  double high;
};
constexpr Range share{0, 1};
constexpr Range amount{0, 1e6};
constexpr Range period{1, 1'000'000};

// Every parameter in the order of the file: visit(section, name, value, range, meaning).
template <class ParametersLike, class Visit>
void for_each_parameter(ParametersLike& p, Visit visit) {
  const Range length{1, static_cast<double>(max_program_length)};
  visit("world", "cells_per_worker", p.cells_per_worker, Range{9, 1e7}, "cells of each worker, on one torus");
  visit("world", "program_length", p.program_length, length, "of the first genomes, instructions");
  visit("world", "max_messages", p.max_messages, Range{0, 1000}, "to a neighbor, per cardinal and birth period");
  visit("cpu", "cores", p.cpu.cores, Range{1, 255}, "of each virtual CPU");
  visit("cpu", "slice_length", p.cpu.slice_length, Range{1, 10'000}, "instructions of one core's turn");
  visit("cpu", "slices", p.slices, Range{0, 10'000}, "of each virtual CPU per update");
  visit("mutation", "occurrence", p.mutation.occurrence, share, "that a birth mutates, by replication level");
  visit("mutation", "bit_flip", p.mutation.bit_flip, share, "probability per bit of program and event tags");
  visit("mutation", "defect", p.mutation.defect, share, "probability per instruction of a sequence defect");
  visit("mutation", "severe_defect", p.mutation.severe_defect, share, "probability that a defect is severe");
  visit("mutation", "max_length", p.mutation.max_length, length, "longest program, instructions");
  visit("mutation", "control_defect", p.control_defect, Range{0, 0.1}, "probability per control and exchange");
  visit("resource", "start_min", p.resource.start_min, amount, "stockpile of a newborn: uniform from here");
  visit("resource", "start_max", p.resource.start_max, amount, "to here");
  visit("resource", "base_harvest", p.resource.base_harvest, amount, "per cell and update");
  visit("resource", "group_harvest", p.resource.group_harvest, amount, "per cell, kin level and other member");
  visit("resource", "keep", p.resource.keep, share, "factor of every stockpile per update");
  visit("resource", "spawn_cost", p.resource.spawn_cost, amount, "also the least stockpile that spawns");
  visit("resource", "defense_cost", p.resource.defense_cost, amount, "of repelling one offspring of a neighbor");
  visit("resource", "apoptosis", p.resource.apoptosis, amount, "created for the heirs of a cell that ends itself");
  visit("resource", "max_lineage", p.resource.max_lineage, share, "share of live cells above which a lineage loses");
  visit("groups", "best_size", p.best_group_size, Range{1, 64}, "of kin groups, by level");
  visit("groups", "expiry", p.group_expiry, Range{1, 1e9}, "age at which groups may fragment, epochs, by level");
  visit("groups", "expiry_rate", p.expiry_rate, share, "probability to fragment per epoch over that age");
  visit("periods", "receive", p.periods.receive, period, "of resource, updates");
  visit("periods", "group_harvest", p.periods.group_harvest, period, "of resource by kin groups");
  visit("periods", "exchange", p.periods.exchange, period, "states, messages, events, epochs, diversity, defects");
  visit("periods", "birth", p.periods.birth, period, "births, spawns, apoptosis; a multiple of exchange");
  visit("periods", "baseline", p.periods.baseline, period, "decay of regulators, controls return to defaults");
  visit("periods", "expiration", p.periods.expiration, period, "of kin groups");
}

template <class T>
std::string text_of(T value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}
template <class T, std::size_t size>
std::string text_of(const std::array<T, size>& values) {
  std::string text = "[";
  for (const T& value : values) text += (text.size() == 1 ? "" : ", ") + text_of(value);
  return text + "]";
}

class Reader {
 public:
  Reader(const std::string& name, std::string_view text, Parameters& parameters)
      : errors_(name, text), at_(text.data()), end_(at_ + text.size()), parameters_(parameters) {}

  void read() {
    for (; at_ != end_; ++at_) {
      if (peek() == '[') {
        read_section();
      } else if (!at_line_end()) {
        read_parameter();
      }
      if (!at_line_end()) errors_.fail(at_, "expected the end of the line or a comment");
      at_ = std::find(at_, end_, '\n');
      if (at_ == end_) return;
    }
  }

 private:
  /// The next character that is no blank, or a line end at the end of the text.
  char peek() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
    return at_ == end_ ? '\n' : *at_;
  }
  bool at_line_end() { return peek() == '\n' || *at_ == '#'; }
  void expect(char c) {
    if (peek() != c) errors_.fail(at_, std::string("expected '") + c + "'");
    ++at_;
  }
  std::string_view word() {
    peek();
    const char* const first = at_;
    while (at_ != end_ && (std::isalnum(static_cast<unsigned char>(*at_)) != 0 || *at_ == '_')) ++at_;
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  void read_section() {
    expect('[');
    section_ = word();
    const char* const where = at_ - section_.size();
    bool known = false;
    for_each_parameter(parameters_, [&](const char* section, auto&&...) { known = known || section_ == section; });
    if (!known) errors_.fail(where, quoted(section_) + " is no section");
    expect(']');
  }

  void read_parameter() {
    const std::string_view name = word();
    const char* const where = name.data();
    bool known = false;
    for_each_parameter(parameters_, [&](const char* section, const char* parameter, auto& value, Range range, auto&&) {
      if (section_ != section || name != parameter) return;
      known = true;
      if (!seen_.insert(section_ + "." + parameter).second) errors_.fail(where, quoted(name) + " is given twice");
      expect('=');
      read_value(value, range);
    });
    if (!known) errors_.fail(where, quoted(name) + " is no parameter of section [" + section_ + "]");
  }

  template <class T>
  void read_value(T& value, Range range) {
    peek();
    const auto [end, error] = std::from_chars(at_, end_, value);
    const bool whole = error == std::errc{} && (end == end_ || std::string_view(" \t\r\n,]#").find(*end) < 7);
    if (!whole || !(static_cast<double>(value) >= range.low && static_cast<double>(value) <= range.high)) {
      errors_.fail(at_, std::string("expected a ") + (std::is_integral_v<T> ? "whole " : "") + "number from " +
                            text_of(range.low) + " to " + text_of(range.high));
    }
    at_ = end;
  }
  template <class T, std::size_t size>
  void read_value(std::array<T, size>& values, Range range) {
    expect('[');
    for (std::size_t i = 0; i < size; ++i) {
      if (i != 0) expect(',');
      read_value(values[i], range);
    }
    expect(']');
  }

  TextScanner errors_;
  const char* at_;
  const char* end_;
  Parameters& parameters_;
  std::string section_;
  std::set<std::string> seen_;
};

}  // namespace

std::string format_parameters(const Parameters& parameters) {
  std::string text = "# The parameters of a world of laxity evolve.\n";
  std::string last_section;
  for_each_parameter(parameters,
                     [&](const char* section, const char* name, const auto& value, Range, const char* what) {
                       if (last_section != section) text += std::string("\n[") + section + "]\n";
                       last_section = section;
                       text += std::string(name) + " = " + text_of(value) + "  # " + what + "\n";
                     });
  return text;
}

void parse_parameters(const std::string& name, std::string_view text, Parameters& parameters) {
  Reader(name, text, parameters).read();
}

void read_parameters_file(const std::string& path, Parameters& parameters) {
  parse_parameters(path, laxity::detail::read_whole_file(path), parameters);
}

}  // namespace laxity::evolution
