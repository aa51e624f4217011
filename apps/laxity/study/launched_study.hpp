// Runs the treatments of a graph coloring study that need MPI ranks under launchers; the others run in this program.
//
// Elsewhere: one run on ranks (launch/launched_run.hpp), the study (color/run.hpp).
#pragma once

#include <string>
#include <vector>

#include "apps/laxity/color/study.hpp"
#include "apps/laxity/launch/launched_run.hpp"

namespace laxity::cli {

/// Whether this program was built with MPI, so that its ranks can be launched.
[[nodiscard]] bool can_launch_ranks() noexcept;

/// The words of a launcher. Throws UsageError if there is none.
[[nodiscard]] std::vector<std::string> launcher_named(const std::string& command);

/// The launcher of the MPI that this program was built with, for ranks of this host.
[[nodiscard]] std::vector<std::string> launcher_of_this_host();

/// scripts/two_hosts, which emulates two hosts on this machine over a network that loses this share of the packets.
[[nodiscard]] std::vector<std::string> launcher_of_emulated_hosts(const std::string& loss = "0");

/// Emulated hosts require root, and Open MPI refuses to run as root unless told.
void let_root_launch_ranks() noexcept;

/// Runs a study whose treatments on ranks are started by these launchers. Returns the exit code.
int run_on_launched_ranks(const Launchers& launchers, ColorStudy study);

}  // namespace laxity::cli
