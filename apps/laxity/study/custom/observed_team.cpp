#include "apps/laxity/study/custom/observed_team.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>

#include "laxity/clock/clock.hpp"

namespace laxity::cli {
namespace {

std::int64_t parent_of(std::int64_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  long long parent = 0;
  char state = 0;
  if (name_end == std::string::npos || std::sscanf(text.c_str() + name_end + 1, " %c %lld", &state, &parent) != 2)
    return 0;
  return parent;
}

}  // namespace

std::optional<ObservedTeam> ObservedTeam::of_program(pid_t program, std::int64_t window_ns) {
  for (Job& job : Job::find_all())
    for (std::int64_t pid = job.notice().pid; pid > 1; pid = parent_of(pid))
      if (pid == program) return ObservedTeam(std::move(job), window_ns);
  return std::nullopt;
}

void ObservedTeam::poll(std::int64_t now_ns) {
  if (now_ns < next_ns_ || !all_update()) return;
  next_ns_ = now_ns + window_ns_;
  Reading reading = read();
  if (!first_) first_ = reading.workers;
  if (last_) add_snapshots(snapshots_, taken_++, last_->links, reading.links);
  last_ = std::move(reading);
}

WorkerRow ObservedTeam::worker_row(std::int64_t run, int id) const {
  const auto place = static_cast<std::size_t>(id);
  const int threads = std::max(1, notice().threads);
  WorkerRow row{run, id, id / threads, id % threads, 0, 0, name_of(state_of(id))};
  if (!first_ || !last_) return row;
  row.updates = last_->workers[place].updates - (*first_)[place].updates;
  row.elapsed_ns = last_->workers[place].time_ns - (*first_)[place].time_ns;
  return row;
}

WorkerState ObservedTeam::state_of(int id) const {
  return job_.table().worker(id).state.load(std::memory_order_acquire);
}

// True from the first update of the last worker to the end of the first, of the workers on this host.
bool ObservedTeam::all_update() const {
  for (int id = 0; id < notice().workers; ++id) {
    const WorkerState state = state_of(id);
    if (state == WorkerState::elsewhere) continue;
    if (state != WorkerState::running || job_.table().worker(id).updates.read() == 0) return false;
  }
  return true;
}

ObservedTeam::Reading ObservedTeam::read() const {
  const auto is_elsewhere = [&](std::uint32_t id) { return state_of(static_cast<int>(id)) == WorkerState::elsewhere; };
  Reading reading;
  for (int id = 0; id < notice().workers; ++id)
    reading.workers.push_back({SteadyClock{}.now_ns(), job_.table().worker(id).updates.read()});
  job_.table().for_each_link([&](const LinkKey& key, LinkRow& row) {
    if (is_elsewhere(key.from_worker) || is_elsewhere(key.to_worker))
      return;  // the counters of one end are on another host
    reading.links[key] = {.neighbor_kind = row.neighbor_kind.load(std::memory_order_relaxed),
                          .channels = row.channels.load(std::memory_order_relaxed),
                          .sender = reading.workers.at(key.from_worker),
                          .receiver = reading.workers.at(key.to_worker),
                          .inlet = observe(row.inlet),
                          .outlet = observe(row.outlet)};
  });
  return reading;
}

}  // namespace laxity::cli
