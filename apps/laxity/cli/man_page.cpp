// laxity man: the manual page in troff, made from the options, so that it is always up to date.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <string>

#include "apps/laxity/cli/subcommands.hpp"
#include "laxity/version.hpp"

namespace laxity::cli {
namespace {

/// Text in troff: a backslash, a hyphen and a leading dot or quote would otherwise be commands.
std::string escaped(const std::string& text) {
  std::string result;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
    at_line_start = c == '\n';
  }
  return result;
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void print_options(const CLI::App& app) {
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* each) { return !each->get_group().empty(); })) {
    const bool takes_value = option->get_items_expected_max() > 0;
    fmt::print(".TP\n\\fB{}\\fR", escaped(option->get_name(false, true)));
    if (takes_value && !option->get_positional()) fmt::print(" \\fI{}\\fR", escaped(option->get_type_name()));
    fmt::print("\n{}", escaped(option->get_description()));
    if (!option->get_default_str().empty()) fmt::print(" (default: {})", escaped(option->get_default_str()));
    fmt::print("\n");
  }
}

/// The footer holds examples, whose line breaks are kept. The heading of the section replaces its own.
void print_examples(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const auto first_break = footer.find('\n');
  if (first_break == std::string::npos) return;
  const auto examples = footer.substr(first_break + 1, footer.find_last_not_of('\n') - first_break);
  fmt::print(".PP\n.nf\n{}\n.fi\n", escaped(examples));
}

/// Every visible command and its subcommands, each with its full name.
void print_commands(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
    const std::string whole_name = name + " " + command->get_name();
    fmt::print(".SH {}\n{}\n", escaped(in_capitals(whole_name)), escaped(command->get_description()));
    print_options(*command);
    print_examples(*command);
    print_commands(*command, whole_name);
  }
}

void print_man_page(const CLI::App& app) {
  fmt::print(".TH {} 1 \"\" \"laxity {}\"\n", in_capitals(app.get_name()), LAXITY_VERSION);
  fmt::print(".SH NAME\nlaxity \\- parallel programs that do not wait for each other\n");
  fmt::print(".SH SYNOPSIS\n.B laxity\n.I command\n[options]\n.SH OPTIONS\n");
  print_options(app);
  print_commands(app, app.get_name());
  fmt::print(".SH EXIT STATUS\n0 done, 1 failed (one line says what failed and what to do), 2 wrong usage.\n");
  fmt::print(
      ".SH ENVIRONMENT\n.TP\nLAXITY_PYTHON\nThe Python interpreter that has the package laxity.\n.SH EXAMPLES\n");
  print_examples(app);
}

}  // namespace

void add_man(Command& app, int, const char* const*) {
  auto* man = app.add_subcommand("man", "Print the manual page")->group("");
  man->callback([&app] { print_man_page(app.parser()); });
}

}  // namespace laxity::cli
