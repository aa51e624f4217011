#include "apps/laxity/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>

#include "laxity/check.hpp"

namespace laxity::cli {

Option* Option::group(const std::string& heading) {
  parsed_->group(heading);
  return this;
}

Option* Option::capture_default_str() {
  parsed_->capture_default_str();
  return this;
}

Option* Option::default_str(const std::string& text) {
  parsed_->default_str(text);
  return this;
}

Option* Option::type_name(const std::string& name) {
  parsed_->type_name(name);
  return this;
}

Option* Option::required() {
  parsed_->required();
  return this;
}

Option* Option::needs(Option* other) {
  parsed_->needs(other->parsed_);
  return this;
}

Option* Option::excludes(Option* other) {
  parsed_->excludes(other->parsed_);
  return this;
}

Option* Option::delimiter(char separator) {
  parsed_->delimiter(separator);
  return this;
}

Option* Option::one_of(const std::vector<std::string>& words) {
  parsed_->check(CLI::IsMember(words));
  return this;
}

Option* Option::in_range(double min, double max) {
  parsed_->check(CLI::Range(min, max));
  return this;
}

Option* Option::in_range(int min, int max) {
  parsed_->check(CLI::Range(min, max));
  return this;
}

Option* Option::positive() {
  parsed_->check(CLI::PositiveNumber);
  return this;
}

Option* Option::number() {
  parsed_->check(CLI::Number);
  return this;
}

Option* Option::existing_directory() {
  parsed_->check(CLI::ExistingDirectory);
  return this;
}

Option* Option::size_with_unit() {
  parsed_->transform(CLI::AsSizeValue(false));
  return this;
}

Option* Option::time_with_unit() {
  const std::map<std::string, double> seconds{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};
  parsed_->transform(CLI::AsNumberWithUnit(seconds, CLI::AsNumberWithUnit::UNIT_REQUIRED, "TIME"));
  return this;
}

template <class Value>
Option* Command::add_option(const std::string& name, Value& value, const std::string& description) {
  return &options_.emplace_back(*parser_->add_option(name, value, description));
}

template Option* Command::add_option(const std::string&, int&, const std::string&);
template Option* Command::add_option(const std::string&, unsigned&, const std::string&);
template Option* Command::add_option(const std::string&, long&, const std::string&);
template Option* Command::add_option(const std::string&, unsigned long&, const std::string&);
template Option* Command::add_option(const std::string&, float&, const std::string&);
template Option* Command::add_option(const std::string&, double&, const std::string&);
template Option* Command::add_option(const std::string&, std::string&, const std::string&);
template Option* Command::add_option(const std::string&, std::filesystem::path&, const std::string&);
template Option* Command::add_option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template Option* Command::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option* Command::add_option(const std::string&, std::pair<double, double>&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<int>&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<unsigned>&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<std::uint64_t>&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<double>&, const std::string&);
template Option* Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);

Option* Command::add_flag(const std::string& name, bool& value, const std::string& description) {
  return &options_.emplace_back(*parser_->add_flag(name, value, description));
}

Option* Command::get_option(const std::string& name) { return &options_.emplace_back(*parser_->get_option(name)); }

std::vector<std::pair<std::string, std::string>> Command::given_options(const std::string& group) const {
  std::vector<std::pair<std::string, std::string>> given;
  for (const CLI::Option* option : parser_->get_options()) {
    if (option->get_group() != group || option->count() == 0) continue;
    given.emplace_back(option->get_name(), option->results().back());
  }
  return given;
}

Command* Command::add_subcommand(const std::string& name, const std::string& description) {
  return &subcommands_.emplace_back(*parser_->add_subcommand(name, description));
}

Command* Command::get_subcommand(const std::string& name) {
  for (Command& command : subcommands_) {
    if (command.parser_->get_name() == name) return &command;
  }
  LAXITY_CHECK(false);
}

bool Command::parsed() const { return parser_->parsed(); }

bool Command::has_chosen_subcommand() const { return !parser_->get_subcommands().empty(); }

std::string Command::with_flag(const std::string& message) const {
  const CLI::App* chosen = parser_;
  while (!chosen->get_subcommands().empty()) chosen = chosen->get_subcommands().front();
  const std::size_t end = message.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
  if (end == 0 || end == std::string::npos || message.compare(end, 3, " = ") != 0) return message;
  std::string flag = "--" + message.substr(0, end);
  std::ranges::replace(flag, '_', '-');
  if (flag == "--logical-processes") flag = "--lps";
  if (chosen->get_option_no_throw(flag) == nullptr) return message;
  return flag + " " + message.substr(end + 3);
}

Command* Command::group(const std::string& heading) {
  parser_->group(heading);
  return this;
}

Command* Command::footer(const std::string& text) {
  parser_->footer(text);
  return this;
}

Command* Command::callback(std::function<void()> work) {
  parser_->callback(std::move(work));
  return this;
}

Command* Command::require_subcommand(int count) {
  parser_->require_subcommand(count);
  return this;
}

Command* Command::require_subcommand(int min, int max) {
  parser_->require_subcommand(static_cast<std::size_t>(min), static_cast<std::size_t>(max));
  return this;
}

Command* Command::allow_extras() {
  parser_->allow_extras();
  return this;
}

}  // namespace laxity::cli
