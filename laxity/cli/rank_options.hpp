// The options of every subcommand that runs on MPI ranks: what they share, and how messages go between hosts.
#pragma once

#include <string>

#include "laxity/cli/command.hpp"
#include "laxity/launch/ranks.hpp"

namespace laxity::cli {

/// The options as they were typed.
struct RankWords {
  std::string shared_memory = "on", messages, threads = "all";

  [[nodiscard]] RankOptions options(int threads_per_rank) const;
};

/// Adds the options to the group "MPI ranks". `words` must outlive the command.
void add_rank_options(Command& command, RankWords& words);

}  // namespace laxity::cli
