#include "laxity/cli/program.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "laxity/cli/nearest_word.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"

namespace laxity::cli {
namespace {

constexpr int failed = 1;
constexpr int usage = 2;

// Words of the command line that no option or subcommand accepted, those of the innermost subcommand first.
std::vector<std::string> unknown_words(const CLI::App& app) {
  for (const CLI::App* subcommand : app.get_subcommands()) {
    if (auto words = unknown_words(*subcommand); !words.empty()) return words;
  }
  return app.remaining(false);
}

// The options of the chosen subcommand, or the subcommands if none was chosen.
std::vector<std::string> known_words(const CLI::App& app, bool option) {
  if (!app.get_subcommands().empty()) return known_words(*app.get_subcommands().front(), option);
  std::vector<std::string> words;
  if (option) {
    for (const CLI::Option* known : app.get_options()) {
      for (const auto& name : known->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* known : app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); })) {
      words.push_back(known->get_name());
    }
  }
  return words;
}

// One line that names the error of the command line, and the nearest known word for an unknown one.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const auto unknown = unknown_words(app);
  if (unknown.empty()) return error.what();
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  const bool option = word.starts_with("-");
  std::string line = std::string(option ? "unknown option " : "unknown argument ") + word;
  const auto nearest = nearest_word(word, known_words(app, option));
  if (nearest) line += ", did you mean " + *nearest + "?";
  return line;
}

int parse_and_run(int argc, const char* const* argv, const ProgramText& text,
                  const std::function<void(Command&)>& add) {
  CLI::App app(text.description, text.name);
  Command root(app);
  if (!text.version.empty()) app.set_version_flag("--version", text.name + " " + text.version);
  app.footer(text.footer);
  app.get_formatter()->column_width(34);
  add(root);
  try {
    app.parse(argc, argv);
  } catch (const Exit& exit) {
    return exit.code;
  } catch (const UsageError& error) {
    throw UsageError(root.with_flag(error.what()));
  } catch (const CLI::ParseError& error) {
    if (!is_reporting_rank()) return 0;                      // another rank reports it, see program_on_ranks.hpp
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version
    const auto chosen = app.get_subcommands();
    std::cerr << text.name << ": " << complaint(app, error) << " (" << text.name
              << (chosen.empty() ? "" : " " + chosen[0]->get_name()) << " --help shows the usage)\n";
    return usage;
  }
  return 0;
}

}  // namespace

int run_program(int argc, const char* const* argv, const ProgramText& text, const std::function<void(Command&)>& add) {
  // A file that grows beyond the limit of file sizes is an error of write(), which names the file. A handler, unlike
  // SIG_IGN, is not inherited by the programs that this one runs.
  std::signal(SIGXFSZ, [](int) {});
  try {
    return parse_and_run(argc, argv, text, add);
  } catch (const UsageError& error) {
    if (!is_reporting_rank()) return 0;
    std::cerr << text.name << ": " << error.what() << '\n';
    return usage;
  } catch (const std::bad_alloc&) {
    std::cerr << text.name << ": out of memory" << limit_behind(ENOMEM) << '\n';
    return failed;
  } catch (const std::exception& error) {
    std::cerr << text.name << ": " << error.what() << '\n';
    return failed;
  }
}

}  // namespace laxity::cli
