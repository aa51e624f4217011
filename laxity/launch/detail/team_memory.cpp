#include "laxity/launch/detail/team_memory.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "laxity/launch/team.hpp"

namespace laxity::detail {

// FUTEX_WAIT without the private flag: the word may be shared by processes.
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

TeamMemory::Offsets::Offsets(int workers, std::size_t max_links) : end(sizeof(Control)) {
  const auto reserve = [this](std::size_t bytes) {
    const std::size_t begin = end;
    end += (bytes + 63) / 64 * 64;
    return begin;
  };
  barrier = reserve(Barrier::bytes_needed(workers));
  pacing = reserve(Barrier::bytes_needed(workers));
  losses = reserve(sizeof(LossText) * static_cast<std::size_t>(workers));
  table = reserve(CounterTable::bytes_needed(workers, max_links));
}

std::size_t TeamMemory::bytes_needed(int workers, std::size_t max_links) { return Offsets(workers, max_links).end; }

void TeamMemory::lay_out(std::byte* memory, int workers, std::size_t max_links, WaitStyle style, LossPolicy on_loss) {
  const Offsets offsets(workers, max_links);
  new (memory) Control{{false, 0}, workers, on_loss, offsets, 0, false, 0};
  Barrier::create(memory + offsets.barrier, workers, style);
  Barrier::create(memory + offsets.pacing, workers, style);
  CounterTable::create(memory + offsets.table, workers, max_links);
}

TeamMemory::TeamMemory(Segment segment) : segment_(std::move(segment)) {}

CounterTable TeamMemory::table() const noexcept {
  return CounterTable::attach(segment_.data() + control().offsets.table);
}
Barrier TeamMemory::worker_barrier() const noexcept {
  return Barrier::attach(segment_.data() + control().offsets.barrier);
}
Barrier TeamMemory::pacing_barrier() const noexcept {
  return Barrier::attach(segment_.data() + control().offsets.pacing);
}

TeamMemory::LossText& TeamMemory::loss_of(int worker) const noexcept {
  return reinterpret_cast<LossText*>(segment_.data() + control().offsets.losses)[worker];
}

void TeamMemory::worker_is_elsewhere(int worker, bool represents_host) const noexcept {
  table().worker(worker).state.store(WorkerState::elsewhere, std::memory_order_relaxed);
  if (represents_host) return;
  worker_barrier().leave(worker);
  pacing_barrier().leave(worker);
}

void TeamMemory::worker_started(int worker, pid_t pid) const noexcept {
  WorkerCounters& row = table().worker(worker);
  row.pid.store(pid, std::memory_order_relaxed);
  row.state.store(WorkerState::running, std::memory_order_release);
}

void TeamMemory::worker_finished(int worker) const noexcept { end(worker, WorkerState::finished); }

void TeamMemory::worker_failed(int worker, std::string_view what) const noexcept {
  lose(worker, WorkerState::failed, what);
}

void TeamMemory::worker_killed(int worker, std::string_view what) const noexcept {
  lose(worker, WorkerState::killed, what);
}

void TeamMemory::lose(int worker, WorkerState state, std::string_view what) const noexcept {
  LossText& kept = loss_of(worker);
  const std::size_t length = std::min<std::size_t>(what.size(), 400);
  std::memcpy(kept.text, what.data(), length);
  kept.text[length] = '\0';
  if (control().on_loss == LossPolicy::end) end_team();
  end(worker, state);
}

void TeamMemory::enter_link_setup(std::uint64_t count) const noexcept {
  std::uint64_t seen = link_setups_entered();
  while (seen < count && !control().link_setups_entered.compare_exchange_weak(seen, count, std::memory_order_release)) {
  }
}

void TeamMemory::end_team() const noexcept {
  request_stop();
  worker_barrier().break_up();
  pacing_barrier().break_up();
}

void TeamMemory::end(int worker, WorkerState state) const noexcept {
  worker_barrier().leave(worker);
  pacing_barrier().leave(worker);
  table().worker(worker).state.store(state, std::memory_order_release);
  control().ends.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &control().ends, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::string TeamMemory::loss_text(int worker) const {
  const LossText& kept = loss_of(worker);
  return {kept.text, strnlen(kept.text, sizeof kept.text)};
}

bool TeamMemory::has_ended(int worker) const noexcept {
  const WorkerState state = table().worker(worker).state.load(std::memory_order_acquire);
  return state != WorkerState::waiting && state != WorkerState::running;
}

bool TeamMemory::is_lost(int worker) const noexcept {
  return table().worker(worker).state.load(std::memory_order_acquire) == WorkerState::killed;
}

bool TeamMemory::has_lost_a_worker() const noexcept {
  for (int worker = 0; worker < control().workers; ++worker)
    if (is_lost(worker)) return true;
  return false;
}

bool TeamMemory::all_have_ended() const noexcept {
  for (int worker = 0; worker < control().workers; ++worker)
    if (!has_ended(worker)) return false;
  return true;
}

std::vector<int> TeamMemory::holding_up_the_end() const {
  std::vector<int> left, behind;
  for (int worker = 0; worker < control().workers; ++worker)
    if (!has_ended(worker)) left.push_back(worker);
  const auto is_lowest = [&left](Barrier barrier, int worker) {
    return std::ranges::all_of(left, [&](int other) { return barrier.reached(worker) <= barrier.reached(other); });
  };
  std::ranges::copy_if(left, std::back_inserter(behind), [&](int worker) {
    return is_lowest(worker_barrier(), worker) && is_lowest(pacing_barrier(), worker);
  });
  return behind.empty() ? left : behind;
}

void TeamMemory::wait_for_an_end(std::uint32_t ends_seen, std::chrono::milliseconds limit) const noexcept {
  const timespec timeout{limit.count() / 1000, limit.count() % 1000 * 1'000'000};
  syscall(SYS_futex, &control().ends, FUTEX_WAIT, ends_seen, &timeout, nullptr, 0);
}

}  // namespace laxity::detail
