// laxity completion: completion scripts for bash, zsh and fish, made from the options themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/laxity/cli/subcommands.hpp"

namespace laxity::cli {
namespace {

struct Word {
  std::string text;
  std::string description;
};

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::vector<Word> command_words(const CLI::App& app) {
  std::vector<Word> words;
  for (const CLI::App* command : commands_of(app)) words.push_back({command->get_name(), command->get_description()});
  return words;
}

std::vector<Word> option_words(const CLI::App& app) {
  std::vector<Word> words;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    for (const auto& name : option->get_lnames()) words.push_back({"--" + name, option->get_description()});
  }
  return words;
}

/// The words that may follow a command: its options, its subcommands and theirs.
std::vector<Word> words_after(const CLI::App& command) {
  std::vector<Word> words = option_words(command);
  for (const CLI::App* inner : commands_of(command)) {
    words.push_back({inner->get_name(), inner->get_description()});
    for (const auto& word : words_after(*inner)) {
      if (word.text != "--help") words.push_back(word);
    }
  }
  return words;
}

/// The values that an option takes, from "{a,b,c}" in its type.
std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto begin = type.find('{'), end = type.find('}');
  std::vector<std::string> values;
  if (begin == std::string::npos || end == std::string::npos) return values;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  return values;
}

/// An option that takes a value, and the values that are known; none for a file, a number and the like.
struct ValuedOption {
  std::string name;
  std::vector<std::string> values;
};

/// The options with a value of a command and of its subcommands.
std::vector<ValuedOption> valued_options(const CLI::App& command) {
  std::vector<ValuedOption> found;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty() || option->get_items_expected_max() == 0) continue;
    for (const auto& name : option->get_lnames()) found.push_back({"--" + name, values_of(*option)});
  }
  for (const CLI::App* inner : commands_of(command)) {
    for (auto& option : valued_options(*inner)) {
      const auto same = std::ranges::find(found, option.name, &ValuedOption::name);
      if (same == found.end()) {
        found.push_back(std::move(option));
      } else {
        for (const auto& value : option.values)
          if (std::ranges::find(same->values, value) == same->values.end()) same->values.push_back(value);
      }
    }
  }
  return found;
}

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

/// The description inside single quotes, where `quote` is how the shell writes a single quote there.
std::string quoted(const std::string& text, const std::string& quote) {
  std::string result;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'')
      result += quote;
    else
      result += c;
  }
  return result;
}

void print_bash(const CLI::App& app) {
  // With no words, bash completes file names.
  fmt::print("_laxity() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words\n");
  fmt::print("  case ${{COMP_WORDS[1]}} in\n");
  for (const CLI::App* command : commands_of(app)) {
    fmt::print("    {})\n      case $before in\n", command->get_name());
    for (const auto& [name, values] : valued_options(*command))
      fmt::print("        {}) words='{}' ;;\n", name, fmt::join(values, " "));
    fmt::print("        *) words='{}' ;;\n      esac ;;\n", joined(words_after(*command)));
  }
  fmt::print("    *) words='{} {}' ;;\n  esac\n", joined(command_words(app)), joined(option_words(app)));
  fmt::print("  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n}}\ncomplete -o default -F _laxity laxity\n");
}

void print_zsh_words(const std::vector<Word>& words) {
  for (const auto& word : words) {
    std::string description;  // a colon separates the word from its description
    for (const char c : word.description) description += c == ':' ? std::string("\\:") : std::string(1, c);
    fmt::print("        '{}:{}'\n", word.text, quoted(description, "'\\''"));
  }
}

void print_zsh(const CLI::App& app) {
  // In zsh `words` is the array of the command line, so the choices need another name.
  fmt::print("#compdef laxity\n_laxity() {{\n  local -a choices\n  if (( CURRENT == 2 )); then\n    choices=(\n");
  print_zsh_words(command_words(app));
  print_zsh_words(option_words(app));
  fmt::print("    )\n  else\n    case $words[2] in\n");
  for (const CLI::App* command : commands_of(app)) {
    fmt::print("      {}) case $words[CURRENT-1] in\n", command->get_name());
    for (const auto& [name, values] : valued_options(*command))
      fmt::print("        {}) choices=({}) ;;\n", name, fmt::join(values, " "));
    fmt::print("        *) choices=(\n");
    print_zsh_words(words_after(*command));
    fmt::print("        ) ;;\n      esac ;;\n");
  }
  fmt::print("    esac\n  fi\n  _describe laxity choices -o || _files\n}}\ncompdef _laxity laxity\n");
}

void print_fish(const CLI::App& app) {
  for (const auto& word : command_words(app)) {
    fmt::print("complete -c laxity -n __fish_use_subcommand -f -a {} -d '{}'\n", word.text,
               quoted(word.description, "\\'"));
  }
  for (const auto& word : option_words(app)) {
    fmt::print("complete -c laxity -n __fish_use_subcommand -l {} -d '{}'\n", word.text.substr(2),
               quoted(word.description, "\\'"));
  }
  for (const CLI::App* command : commands_of(app)) {
    for (const auto& [name, values] : valued_options(*command))
      if (!values.empty())
        fmt::print("complete -c laxity -n '__fish_seen_subcommand_from {}' -l {} -x -a '{}'\n", command->get_name(),
                   name.substr(2), fmt::join(values, " "));
    for (const auto& word : words_after(*command)) {
      const bool option = word.text.starts_with("--");
      fmt::print("complete -c laxity -n '__fish_seen_subcommand_from {}' {} {} -d '{}'\n", command->get_name(),
                 option ? "-l" : "-f -a", option ? word.text.substr(2) : word.text, quoted(word.description, "\\'"));
    }
  }
}

}  // namespace

void add_completion(Command& app, int, const char* const*) {
  auto* completion = app.add_subcommand("completion", "Print the completion script of a shell")->group("");
  auto shell = std::make_shared<std::string>();
  completion->add_option("shell", *shell, "bash, zsh or fish")->required()->one_of({"bash", "zsh", "fish"});
  completion->callback([&app, shell] {
    if (*shell == "bash")
      print_bash(app.parser());
    else if (*shell == "zsh")
      print_zsh(app.parser());
    else
      print_fish(app.parser());
  });
}

}  // namespace laxity::cli
