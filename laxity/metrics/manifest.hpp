// What a study was: its configuration, its program and its machine, kept in manifest.json beside the tables.
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

/// The resolved options of a study, in the order in which they shall be shown. Two studies are the same if these are
/// equal.
using Configuration = std::vector<std::pair<std::string, ConfigurationValue>>;

struct Manifest {
  std::string kind;                ///< of study: "coloring", "phold"
  std::string name;                ///< of the study
  std::string status = "running";  ///< done, interrupted or failed in the end
  std::string command_line;
  std::uint64_t seed = 0;
  Configuration configuration;
  std::map<std::string, std::string> versions;  ///< laxity, compiler, kernel, mpi
  std::string git_commit;                       ///< of laxity; empty if built outside a repository
  std::string host;
  std::vector<std::string> hosts;  ///< of every rank; empty if the program was not started as ranks of an MPI
  std::string cpu_model;
  int cores = 0;                       ///< processors that the program may use
  std::vector<std::string> placement;  ///< a line for each shape of team
  std::string start;                   ///< UTC, "2021-05-23T10:02:51Z"
  std::string end;                     ///< empty while it runs
};

/// A manifest of a study that starts now, by this program on this machine.
[[nodiscard]] Manifest manifest_of_this_machine(std::string kind, std::string name, int argc, const char* const* argv);

/// This moment, UTC, as in Manifest::start.
[[nodiscard]] std::string utc_now();

}  // namespace laxity
