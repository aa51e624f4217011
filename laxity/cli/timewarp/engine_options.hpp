// The options that choose an engine, the same for every simulation on the command line.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "laxity/cli/command.hpp"
#include "laxity/cli/rank_options.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/ranks.hpp"
#include "laxity/timewarp/engine.hpp"

namespace laxity::cli {

/// What CLI11 fills, and the engine that is made of it. Lives as long as the subcommand.
class EngineOptions {
 public:
  /// --sequential, --threads, --processes.
  void add_team(Command& command);
  /// Pending-event set, exchange, optimism control and the rest.
  void add_parts(Command& command);
  /// --shared-memory, --messages and --mpi-threads, for commands that run on the ranks of an MPI.
  void add_ranks(Command& command);
  /// --event-log, for commands that make one run.
  void add_event_log(Command& command);

  /// Throws UsageError, naming the option, for what is out of its range, and for a team that contradicts the ranks.
  [[nodiscard]] timewarp::Engine engine(Ranks* ranks = nullptr) const;
  [[nodiscard]] RankOptions rank_options() const;

 private:
  bool sequential_ = false;
  bool digest_ = false;
  double grace_s_ = 10;
  int threads_ = 1, processes_ = 0;
  std::string queue_, exchange_, events_, optimism_, memory_, max_memory_, event_log_, lookahead_ = "used";
  RankWords of_ranks_;
  std::int64_t queues_ = 1, turn_ = 0, gvt_interval_ = 0, max_events_ = 0;
};

/// The words that choose this engine instead of the default, as one would type them: "--threads 2 --queue heap".
[[nodiscard]] std::string words_of(const timewarp::Engine& engine);

/// A number of bytes with its unit: "4GiB", "500MB". Throws UsageError naming the option.
[[nodiscard]] std::size_t bytes_of(const char* option, const std::string& text);

/// Options are read as signed numbers, so that -1 is refused as such and not as a very large one. Throws UsageError.
[[nodiscard]] std::int64_t in_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most);

/// The one of these that has the name. Throws UsageError, naming the option and all names.
template <class Choice, std::size_t count>
Choice named(const char* option, const std::string& word, const std::array<Choice, count>& choices) {
  const auto found =
      std::ranges::find_if(choices, [&](const Choice choice) { return timewarp::name_of(choice) == word; });
  if (found != choices.end()) return *found;
  std::string known;
  for (std::size_t i = 0; i < count; ++i) {
    known += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + std::string(timewarp::name_of(choices[i]));
  }
  throw UsageError(std::string(option) + " " + word + ": must be " + known);
}

}  // namespace laxity::cli
