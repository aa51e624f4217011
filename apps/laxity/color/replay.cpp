#include "apps/laxity/color/replay.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "laxity/error.hpp"

namespace laxity::cli {

namespace {

constexpr std::size_t max_overtaking = 4096;  // frames that a receiver keeps copies of

void require(bool holds, const std::string& what) {
  if (!holds) throw UsageError(what);
}

void require_share(const char* option, double share) {
  require(share >= 0 && share <= 1, fmt::format("{} {}: must be in [0, 1]", option, share));
}

}  // namespace

void ColorReplay::check() const {
  const Faults& faults = options.faults;
  require(options.jitter >= 0 && options.jitter < 1,
          fmt::format("--period-spread {}: must be at least 0 and below 1", options.jitter));
  require_share("--loss", faults.loss);
  require_share("--stall", faults.stall);
  require(faults.overtaking >= 1 && faults.overtaking <= max_overtaking,
          fmt::format("--overtaking {}: must be 1 to {}", faults.overtaking, max_overtaking));
  const auto [from_s, until_s] = frozen_s;
  require(from_s <= until_s, fmt::format("--freeze {} {}: give two times, the earlier first", from_s, until_s));
}

ReplayOptions ColorReplay::for_run(std::uint32_t workers, std::uint64_t seed, std::int64_t duration_ns) const {
  ReplayOptions run = options;
  run.workers = workers;
  run.seed = seed;
  run.slowness.assign(workers, 1.0);
  for (const auto& [worker, factor] : slow) {
    require(worker < workers,
            fmt::format("--slow {}:{}: there are {} workers, counted from 0", worker, factor, workers));
    run.slowness[worker] = factor;
  }
  if (const auto [from_s, until_s] = frozen_s; from_s != until_s) {
    run.faults.freeze_from_ns = std::llround(from_s * 1e9);
    run.faults.freeze_until_ns = std::llround(until_s * 1e9);
  }
  double updates = 0;
  for (const double factor : run.slowness)
    updates += static_cast<double>(duration_ns) / (factor * static_cast<double>(run.period_ns));
  require(updates <= max_updates,
          fmt::format("{:.2g} updates of all workers, at most {:.0e} can be replayed: use a shorter --duration or a "
                      "longer --period",
                      updates, max_updates));
  return run;
}

void ColorReplay::add_to(Configuration& configuration) const {
  const Faults& faults = options.faults;
  std::vector<std::string> slow_workers;
  for (const auto& [worker, factor] : slow) slow_workers.push_back(fmt::format("{}:{}", worker, factor));
  const Configuration replayed{{"replayed", true},
                               {"period_ns", options.period_ns},
                               {"period_spread", options.jitter},
                               {"slow_workers", slow_workers},
                               {"loss", faults.loss},
                               {"delay_ns", faults.delay_ns},
                               {"delay_spread_ns", faults.delay_spread_ns},
                               {"overtaking", static_cast<std::int64_t>(faults.overtaking)},
                               {"stall", faults.stall},
                               {"stall_ns", faults.stall_ns},
                               {"frozen_from_s", frozen_s.first},
                               {"frozen_until_s", frozen_s.second}};
  configuration.insert(configuration.end(), replayed.begin(), replayed.end());
}

std::pair<std::uint32_t, double> slow_worker_named(const std::string& text) {
  unsigned worker = 0;
  double factor = 0;
  int end = 0;
  if (text.starts_with('-') || std::sscanf(text.c_str(), "%9u:%lf%n", &worker, &factor, &end) != 2 ||
      end != static_cast<int>(text.size()) || !(factor > 0 && factor <= ReplayOptions::max_slowness))
    throw UsageError(fmt::format("--slow '{}': write 2:8 if the updates of worker 2 take 8 times as long", text));
  return {worker, factor};
}

}  // namespace laxity::cli
