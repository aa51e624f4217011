// The manifest of a study: its configuration, its program and its machine. It is stored as manifest.json beside the
// tables.
//
// Elsewhere: the directory that holds it (run_directory.hpp); the format (docs/run_format.md).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace laxity {

using ConfigurationValue =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<std::string>>;

/// The resolved options of a study, in the order in which to show them. Studies with equal configurations are the same.
using Configuration = std::vector<std::pair<std::string, ConfigurationValue>>;

struct Manifest {
  std::string kind;                ///< of study, one of tables::kinds
  std::string name;                ///< of the study
  std::string status = "running";  ///< at the end done, interrupted or failed
  std::string reason{};            ///< why it was interrupted or failed; empty: it says nothing more
  std::string command_line;
  std::uint64_t seed = 0;
  Configuration configuration;
  std::map<std::string, std::string> versions;  ///< laxity, compiler, kernel, mpi
  std::string git_commit;                       ///< of laxity; empty if built outside a repository
  std::string host;
  std::vector<std::string> hosts;  ///< of every rank; empty if the program was not started as MPI ranks
  std::string cpu_model;
  int cores = 0;                       ///< processors available to the program
  std::vector<std::string> placement;  ///< one line per shape of team
  std::string start;                   ///< UTC, "2021-05-23T10:02:51Z"
  std::string end;                     ///< empty while it runs
};

/// The manifest of a study that starts now, by this program on this host.
[[nodiscard]] Manifest manifest_of_this_machine(std::string kind, std::string name, int argc, const char* const* argv);

/// The current time, UTC, as in Manifest::start.
[[nodiscard]] std::string utc_now();

}  // namespace laxity
