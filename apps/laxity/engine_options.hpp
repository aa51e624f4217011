// The options that choose an engine, the same for every simulation on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "laxity/timewarp/engine.hpp"

namespace laxity::cli {

/// What CLI11 fills, and the engine that is made of it. Lives as long as the subcommand.
class EngineOptions {
 public:
  /// --sequential, --threads, --processes.
  void add_team(CLI::App& command);
  /// Pending-event set, exchange, optimism control and the rest.
  void add_parts(CLI::App& command);
  /// --event-log, for commands that make one run.
  void add_event_log(CLI::App& command);

  /// Throws UsageError, naming the option, for what is out of its range.
  [[nodiscard]] timewarp::Engine engine() const;

 private:
  bool sequential_ = false;
  bool digest_ = false;
  int threads_ = 1, processes_ = 0;
  std::string queue_, exchange_, optimism_, event_log_;
  std::int64_t queues_ = 1, turn_ = 0, gvt_interval_ = 0, max_events_ = 0;
};

/// The words that choose this engine instead of the default, as one would type them: "--threads 2 --queue heap".
[[nodiscard]] std::string words_of(const timewarp::Engine& engine);

/// Options are read as signed numbers, so that -1 is refused as such and not as a very large one. Throws UsageError.
[[nodiscard]] std::int64_t in_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most);

}  // namespace laxity::cli
