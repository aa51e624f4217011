// The laxity command line: one subcommand per file, see subcommands.hpp.
#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app("Parallel programs that do not wait for each other", "laxity");
  CLI11_PARSE(app, argc, argv);
  return 0;
}
