// The options of every subcommand that runs teams in several modes, with replicates: --workers, --mode, --replicates, ...
//
// Elsewhere: how a team is written (launch/team_shape.hpp), ranks that a launcher has started (launch/rank_options.hpp).
#pragma once

#include <string>
#include <vector>

#include "apps/laxity/launch/team_shape.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/launch/pacing.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/launch/team.hpp"

namespace laxity::cli {

/// Which teams a study runs, in which modes, how often and how long.
struct TeamPlan {
  std::vector<Shape> shapes{{}};
  std::vector<PacingMode> modes{PacingMode::none};
  int replicates = 1;
  double duration_s = 1;     ///< of a run
  std::string pin = "auto";  ///< or always, never
  double grace_s = 10;       ///< as TeamOptions::grace
  Ranks* ranks = nullptr;    ///< set if the program was started as MPI ranks
};

/// Teams and modes as they were typed.
struct TeamWords {
  std::vector<std::string> workers, modes{"3"};
  int threads = 1, processes = 0;
};

/// Adds the options to the group Team. `plan` holds their defaults; it and `words` must outlive the command.
void add_team_options(Command& command, TeamPlan& plan, TeamWords& words);

/// Reads the teams and modes. With ranks there is one team and no choice, because the launcher has created them. Throws
/// UsageError. Collective over ranks.
void choose_teams(TeamPlan& plan, const TeamWords& words, Ranks* ranks);

/// Where the workers of a run may be bound, and how long they may take to end.
void place(TeamOptions& team, const TeamPlan& plan);

}  // namespace laxity::cli
