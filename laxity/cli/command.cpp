#include "laxity/cli/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <type_traits>

#include "laxity/check.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {

namespace {

// The checks of CLI11 name neither the option's value nor, for limits that are very large, anything readable.
template <class Number>
void add_range(CLI::Option& option, Number min, Number max) {
  const auto check = [&option, min, max](const std::string& text) {
    if (Number value = 0; !CLI::detail::lexical_cast(text, value) || !(value >= min && value <= max))
      throw UsageError(fmt::format("{} {}: must be {} to {}", option.get_name(), text, min, max));
    return std::string();
  };
  option.check(check, fmt::format("{} to {}", min, max));
}

template <class Value>
struct Element {
  using Type = Value;
};
template <class Value>
struct Element<std::vector<Value>> {
  using Type = Value;
};

// CLI11 reads "-1" as a very large unsigned number.
void refuse_negative(CLI::Option& option) {
  option.check([&option](const std::string& text) {
    if (text.starts_with('-')) throw UsageError(fmt::format("{} {}: must not be negative", option.get_name(), text));
    return std::string();
  });
}

}  // namespace

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

Option* Option::suggest(const std::vector<std::string>& words) {
  parsed_->type_name(fmt::format("{{{}}}", fmt::join(words, ",")));
  return this;
}

Option* Option::in_range(double min, double max) {
  add_range(*parsed_, min, max);
  return this;
}

Option* Option::in_range(int min, int max) {
  add_range(*parsed_, min, max);
  return this;
}

Option* Option::at_least(int min) {
  parsed_->check([option = parsed_, min](const std::string& text) {
    if (int value = 0; !CLI::detail::lexical_cast(text, value) || value < min)
      throw UsageError(fmt::format("{} {}: must be at least {}", option->get_name(), text, min));
    return std::string();
  });
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

template <class Value>
Option* Command::add_option(const std::string& name, Value& value, const std::string& description) {
  CLI::Option* option = parser_->add_option(name, value, description);
  if constexpr (std::is_unsigned_v<typename Element<Value>::Type>) refuse_negative(*option);
  return &options_.emplace_back(*option);
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

namespace {

std::string text_of(double seconds) { return short_duration(seconds); }
std::string text_of(std::int64_t time_ns) { return short_duration(static_cast<double>(time_ns) * 1e-9); }
std::string text_of(const std::pair<double, double>& both) { return text_of(both.first) + ' ' + text_of(both.second); }
std::string text_of(const std::vector<double>& each) {
  std::string all;
  for (const double seconds : each) all += (all.empty() ? "" : " ") + text_of(seconds);
  return all;
}

}  // namespace

template <class Value>
Option* Command::add_duration(const std::string& name, Value& value, const std::string& description,
                              const DurationRange& range) {
  const auto to_number = [name, range](const std::string& text) {
    const double seconds = duration_of(name, text, range);
    return std::is_integral_v<Value> ? fmt::format("{}", std::llround(seconds * 1e9)) : fmt::format("{}", seconds);
  };
  CLI::Option* option = parser_->add_option(name, value, description);
  option->type_name("TIME")->transform(to_number, "")->default_function([&value] { return text_of(value); });
  return &options_.emplace_back(*option);
}

template Option* Command::add_duration(const std::string&, std::int64_t&, const std::string&, const DurationRange&);
template Option* Command::add_duration(const std::string&, double&, const std::string&, const DurationRange&);
template Option* Command::add_duration(const std::string&, std::pair<double, double>&, const std::string&,
                                       const DurationRange&);
template Option* Command::add_duration(const std::string&, std::vector<double>&, const std::string&,
                                       const DurationRange&);

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
