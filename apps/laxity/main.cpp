// The laxity command line: collects the subcommands, and turns a failure into one line and an exit code.
//
// Exit codes: 0 done, 1 failed, 2 usage.
// Elsewhere: the list of the subcommands and how they report failure (cli/subcommands.hpp).
#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/nearest_word.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"
#include "laxity/version.hpp"

namespace {

constexpr int failed = 1;
constexpr int usage = 2;

constexpr const char* examples = R"(Examples:
  laxity doctor                         what is installed and what works here
  laxity color --help                   every option of the graph coloring study
  laxity color --workers 2t --mode 3    graph coloring on two threads, best effort
  laxity phold --threads 2              optimistic simulation of PHOLD on two threads
  mpirun -n 8 laxity clock              how well the clocks of eight ranks are synchronized
  mpirun -n 8 laxity arrival            collectives when processes arrive at different times
  laxity trace -- mpirun -n 8 ./app     record the collective calls of an MPI program
  laxity report runs/first              write runs/first/report.html
)";

/// Words of the command line that no option or subcommand accepted, those of the innermost subcommand first.
std::vector<std::string> unknown_words(const CLI::App& app) {
  for (const CLI::App* subcommand : app.get_subcommands()) {
    if (auto words = unknown_words(*subcommand); !words.empty()) return words;
  }
  return app.remaining(false);
}

/// The options of the chosen subcommand, or the subcommands if none was chosen.
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

/// One line that names the error of the command line, and the nearest known word for an unknown one.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const auto unknown = unknown_words(app);
  if (unknown.empty()) return error.what();
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  const bool option = word.starts_with("-");
  std::string line = std::string(option ? "unknown option " : "unknown argument ") + word;
  const auto nearest = laxity::cli::nearest_word(word, known_words(app, option));
  if (nearest) line += ", did you mean " + *nearest + "?";
  return line;
}

int run(int argc, char** argv) {
  CLI::App app("laxity: parallel programs that do not wait for each other.", "laxity");
  laxity::cli::Command root(app);
  app.set_version_flag("--version", "laxity " LAXITY_VERSION);
  app.footer(examples);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  for (laxity::cli::AddSubcommand* add : laxity::cli::subcommands) add(root, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const laxity::cli::Exit& exit) {
    return exit.code;
  } catch (const laxity::UsageError& error) {
    throw laxity::UsageError(root.with_flag(error.what()));
  } catch (const CLI::ParseError& error) {
    if (!laxity::is_reporting_rank()) return 0;              // another rank reports it, see program_on_ranks.hpp
    if (error.get_exit_code() == 0) return app.exit(error);  // --help and --version
    const auto chosen = app.get_subcommands();
    std::cerr << "laxity: " << complaint(app, error) << " (laxity"
              << (chosen.empty() ? "" : " " + chosen[0]->get_name()) << " --help shows the usage)\n";
    return usage;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A file that grows beyond the limit of file sizes is an error of write(), which names the file. A handler, unlike
  // SIG_IGN, is not inherited by the programs that laxity runs.
  std::signal(SIGXFSZ, [](int) {});
  try {
    return run(argc, argv);
  } catch (const laxity::UsageError& error) {
    if (!laxity::is_reporting_rank()) return 0;
    std::cerr << "laxity: " << error.what() << '\n';
    return usage;
  } catch (const std::bad_alloc&) {
    std::cerr << "laxity: out of memory" << laxity::limit_behind(ENOMEM) << '\n';
    return failed;
  } catch (const std::exception& error) {
    std::cerr << "laxity: " << error.what() << '\n';
    return failed;
  }
}
