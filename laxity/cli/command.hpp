// A command of the program and its options: what the files of the subcommands see of the command line parser (CLI11).
//
// CLI11 is a header of ten thousand lines that every file which includes it compiles anew, about four seconds each. Only
// command.cpp and the files that walk over all commands (main.cpp, completion.cpp, man_page.cpp) include it. The names are
// those of CLI11.
//
// Threads: one. Elsewhere: the subcommands (subcommands.hpp).
#pragma once

#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "laxity/cli/duration.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace laxity::cli {

/// Thrown by a callback to end the program with this exit code and without a message.
struct Exit {
  int code;
};

/// An option or a positional argument. Lives as long as its command. Every function returns the option itself.
class Option {
 public:
  explicit Option(CLI::Option& parsed) : parsed_(&parsed) {}

  Option* group(const std::string& heading);  ///< heading in the help; "" hides the option
  Option* capture_default_str();              ///< shows the present value as the default
  Option* default_str(const std::string& text);
  Option* type_name(const std::string& name);
  Option* required();
  Option* needs(Option* other);
  Option* excludes(Option* other);
  Option* delimiter(char separator);  ///< between the values of a list

  Option* one_of(const std::vector<std::string>& words);
  Option* suggest(const std::vector<std::string>& words);  ///< values that the help and completion show; not checked
  Option* in_range(double min, double max);
  Option* in_range(int min, int max);
  Option* at_least(int min);
  Option* number();
  Option* existing_directory();
  Option* size_with_unit();  ///< 64k is 65,536

 private:
  CLI::Option* parsed_;
};

/// The program or one of its subcommands.
class Command {
 public:
  explicit Command(CLI::App& parser) : parser_(&parser) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// An option that is stored in `value`, which must live as long as the command. Value is bool, an integer, a floating
  /// point number, a string or a path, or a std::vector or std::optional of one; command.cpp instantiates those in use.
  template <class Value>
  Option* add_option(const std::string& name, Value& value, const std::string& description = "");
  /// An option that is a duration (duration.hpp), stored in seconds, or in nanoseconds if Value is an integer. Value is
  /// double, std::int64_t, or several doubles: a std::vector, a std::pair.
  template <class Value>
  Option* add_duration(const std::string& name, Value& value, const std::string& description,
                       const DurationRange& range = {});
  /// An option without a value that sets `value`.
  Option* add_flag(const std::string& name, bool& value, const std::string& description = "");
  /// The option of this name. It must exist.
  [[nodiscard]] Option* get_option(const std::string& name);
  /// Name and value of the options of a group that the command line has given, in the order of their declaration.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> given_options(const std::string& group) const;

  Command* add_subcommand(const std::string& name, const std::string& description);
  /// The subcommand of this name. It must exist.
  [[nodiscard]] Command* get_subcommand(const std::string& name);
  /// Whether the command line has chosen this command.
  [[nodiscard]] bool parsed() const;
  /// Whether the command line has chosen a subcommand of this command.
  [[nodiscard]] bool has_chosen_subcommand() const;

  Command* group(const std::string& heading);  ///< heading in the help; "" hides the command
  Command* footer(const std::string& text);    ///< printed below the help
  Command* callback(std::function<void()> work);
  Command* require_subcommand(int count);
  Command* require_subcommand(int min, int max);
  Command* allow_extras();

  /// The message of a UsageError with the flag in place of the option's C++ name: "end_time = 0: must be positive" becomes
  /// "--end-time 0: must be positive" if the chosen subcommand has such a flag, and is returned unchanged otherwise.
  [[nodiscard]] std::string with_flag(const std::string& message) const;

  [[nodiscard]] CLI::App& parser() noexcept { return *parser_; }

 private:
  CLI::App* parser_;
  std::list<Option> options_;
  std::list<Command> subcommands_;
};

}  // namespace laxity::cli
