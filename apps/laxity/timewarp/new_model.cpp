#include "apps/laxity/timewarp/new_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/version.hpp"

namespace laxity::cli {
namespace {

// In the texts, @name@ is the name of the model, @Name@ that of its class, @version@ that of laxity.
struct TemplateFile {
  std::string_view path;
  std::string_view text;
};

constexpr std::array template_files = {
    TemplateFile{"CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.25)
project(@name@ LANGUAGES CXX)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
find_package(laxity @version@ REQUIRED)

add_executable(@name@ main.cpp)
target_link_libraries(@name@ PRIVATE laxity::program)

# Every event again after a rollback; then the committed events of two threads beside those of the sequential engine.
enable_testing()
set(runs ${CMAKE_CURRENT_BINARY_DIR}/test_runs)
set(short --end-time 100 --quiet)
add_test(NAME handlers_can_be_rolled_back COMMAND @name@ --check rollback --end-time 100)
add_test(NAME remove_old_runs COMMAND ${CMAKE_COMMAND} -E rm -rf ${runs})
add_test(NAME sequential_engine COMMAND @name@ ${short} --sequential --event-log ${runs}/one --output ${runs}/a)
add_test(NAME two_threads_commit_the_same
  COMMAND @name@ ${short} --threads 2 --event-log ${runs}/two --compare ${runs}/one --output ${runs}/b)
set_tests_properties(remove_old_runs PROPERTIES FIXTURES_SETUP old_runs)
set_tests_properties(sequential_engine PROPERTIES FIXTURES_REQUIRED old_runs FIXTURES_SETUP first_log)
set_tests_properties(two_threads_commit_the_same PROPERTIES FIXTURES_REQUIRED "old_runs;first_log")
)"},
    TemplateFile{"@name@.hpp",
                 R"(// The model: a ring of stations that customers visit one after the other. Change it into your own.
//
// A handler changes nothing but the state of its process and sends events: it may run again after a rollback. What else a
// model can do (finish(), ends(), lookahead(), at_gvt(), reverse handlers) is described in laxity/timewarp/model.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "laxity/timewarp/collectors.hpp"
#include "laxity/timewarp/context.hpp"

struct @Name@ {
  using Time = double;
  struct State {  // of one logical process; trivially copyable, so that it can be rolled back
    long served = 0;
    double free_at = 0;
    double waited = 0;  // by the latest customer
  };
  struct Event {  // a customer arrives
    int customer = 0;
  };
  struct Collectors {  // of the committed events of all processes; exact on any number of workers
    laxity::timewarp::Tally waits;
    void merge(const Collectors& other) { waits.merge(other.waits); }
  };
  using Process = laxity::timewarp::Context<@Name@>;

  double service_time = 2;
  double walk_time = 5;  // mean

  // The first events of a process.
  void init(Process& station) const {
    station.send(station.self(), 1 + station.random().unit(), {static_cast<int>(station.self())});
  }

  void handle(Process& station, const Event& event) const {
    const double begin = std::max(station.now(), station.state().free_at);
    station.state().free_at = begin + service_time;
    station.state().waited = begin - station.now();
    ++station.state().served;
    const double walk = -walk_time * std::log(1 - station.random().unit());
    station.send((station.self() + 1) % station.logical_processes(), begin + service_time + walk - station.now(), event);
  }

  // Called once for every event that can no longer be rolled back.
  void commit(const laxity::timewarp::Committed<@Name@>& station, const Event&) const {
    station.collectors().waits.add(station.state().waited);
  }
};
)"},
    TemplateFile{"main.cpp",
                 R"(// The program of the model: its options, the simulation that they describe, and what is reported.
#include "@name@.hpp"
#include "laxity/cli/timewarp/program.hpp"
#include "laxity/require_option.hpp"

int main(int argc, char** argv) {
  laxity::timewarp::LpId stations = 100;
  double end_time = 1000;
  @Name@ model;
  laxity::cli::ModelProgram program("@name@", "A ring of stations that customers visit");
  program.add_option("--stations", stations, "Number of stations; each is a logical process");
  program.add_option("--service-time", model.service_time, "Time of a customer at a station");
  program.add_option("--walk-time", model.walk_time, "Mean time between two stations");
  program.add_option("--end-time", end_time, "End of the simulation");
  return program.run(
      argc, argv,
      [&] {
        laxity::require_option(model.service_time > 0, "service_time", model.service_time, "must be positive");
        laxity::require_option(model.walk_time > 0, "walk_time", model.walk_time, "must be positive");
        return laxity::timewarp::Simulation<@Name@>{.model = model, .bounds = {stations, end_time}};
      },
      [&](const laxity::timewarp::Result<@Name@>& result, laxity::timewarp::ComparedRun& found) {
        double served = 0;
        for (const @Name@::State& station : result.states) served += static_cast<double>(station.served);
        found.report("customers served at a station", served / static_cast<double>(result.states.size()));
        found.report("mean waiting time", result.collectors.waits.mean());
      });
}
)"},
    TemplateFile{"README.md", R"(# @name@
A discrete-event model on the engines of laxity.

    cmake -S . -B build && cmake --build build     # with -D CMAKE_PREFIX_PATH=... if laxity is not installed system-wide
    ctest --test-dir build --output-on-failure     # handlers can be rolled back; engines commit the same events
    build/@name@ --sequential                      # one thread: the reference
    build/@name@ --threads 2 --replicates 10       # means with their 95 % intervals
    build/@name@ --threads 2 --report              # a run directory with report.html
    build/@name@ tune --threads 2                  # which parts of the engine suit the model
    mpirun -n 4 build/@name@                       # one simulation on four ranks

`@name@.hpp` is the model, `main.cpp` its options and what it reports. `build/@name@ --help` lists all options.
)"}};

// Names of targets that CMake keeps for itself.
constexpr std::array<std::string_view, 10> reserved = {
    "all",     "clean",      "edit_cache",    "help", "install",
    "package", "preinstall", "rebuild_cache", "test", "list_install_components"};

void check_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || !is_letter(name.front()) || !std::ranges::all_of(name, fits))
    throw UsageError("name " + name + ": must be an identifier: a letter, then letters, digits and underscores");
  if (std::ranges::find(reserved, name) != reserved.end())
    throw UsageError("name " + name + ": CMake keeps it for a target of its own; take another");
}

// "token_ring" is the class TokenRing.
std::string class_name(const std::string& name) {
  std::string words;
  bool begins = true;
  for (const char c : name) {
    if (c != '_') words += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '_';
  }
  return words;
}

std::string filled(std::string_view text, const std::string& name) {
  const std::array<std::pair<std::string_view, std::string>, 3> values = {
      {{"@name@", name},
       {"@Name@", class_name(name)},
       {"@version@", fmt::format("{}.{}", LAXITY_VERSION_MAJOR, LAXITY_VERSION_MINOR)}}};
  std::string result(text);
  for (const auto& [mark, value] : values) {
    for (std::size_t at = result.find(mark); at != std::string::npos; at = result.find(mark, at + value.size()))
      result.replace(at, mark.size(), value);
  }
  return result;
}

void write_new_model(const std::string& name) {
  check_name(name);
  std::error_code error;
  if (!std::filesystem::create_directory(name, error)) {
    if (error) throw SystemError("creating the folder " + name, error.value());
    throw UsageError("name " + name + ": there is such a file or folder already; take another name");
  }
  for (const TemplateFile& file : template_files)
    replace_file(std::filesystem::path(name) / filled(file.path, name), filled(file.text, name));
  fmt::print("{0}/: a model in {0}.hpp, its program in main.cpp; {0}/README.md says how to build, test and run it\n",
             name);
}

}  // namespace

void add_new_model(Command& timewarp) {
  auto* command = timewarp.add_subcommand("new", "Write a folder with a model and its program, for you to change");
  command->footer("The folder builds with an installed laxity (CMake: find_package), and has tests.");
  auto name = std::make_shared<std::string>();
  command->add_option("name", *name, "Name of the model, of its folder and of its program: an identifier")->required();
  command->callback([name] { write_new_model(*name); });
}

}  // namespace laxity::cli
