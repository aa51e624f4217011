// What needs MPI, in a build without it: each subcommand ends with an error that says what to install.
#include <string>

#include "apps/laxity/arrival/run.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

[[noreturn]] void refuse(const std::string& name) {
  throw Error(name + ": built without MPI; install one (scripts/bootstrap), configure and build again");
}

void add_missing(Command& app, const std::string& name, const std::string& what) {
  auto* command = app.add_subcommand(name, what + " (needs MPI)");
  command->allow_extras();
  command->callback([name] { refuse(name); });
}

}  // namespace

std::string run_arrival_study(const ArrivalStudy&, const std::string&, int) { refuse("arrival"); }

void add_clock(Command& app, int, const char* const*) {
  add_missing(app, "clock", "Synchronize clocks over MPI and say how well");
}

void add_hosts_study(Command& app, int, const char* const*) {
  add_missing(*app.get_subcommand("study"), "hosts", "Ranks on the same host, compared with ranks on different hosts");
}

void add_faulty_host_study(Command& app, int, const char* const*) {
  add_missing(*app.get_subcommand("study"), "faulty-host",
              "What the ranks of one host do while the ranks of another one are stopped");
}

void add_fft_study(Command& app, int, const char* const*) {
  add_missing(*app.get_subcommand("study"), "fft",
              "A Fourier transform with each algorithm of its collective, beside what was predicted");
}

}  // namespace laxity::cli
