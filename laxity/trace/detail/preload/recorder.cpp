#include "laxity/trace/detail/preload/recorder.hpp"

#include <sched.h>

namespace laxity::trace::preload {

Recorder::Lock::Lock(std::atomic_flag& flag) noexcept : flag_(flag) {
  while (flag_.test_and_set(std::memory_order_acquire)) ::sched_yield();
}

KnownCommunicator* Recorder::known(Handle communicator, Handle parent) {
  if (KnownCommunicator* found = communicators_.find(communicator)) return found;
  KnownCommunicator* added = communicators_.add(communicator, parent);
  if (added != nullptr) writer_.communicator(added->record);
  return added;
}

std::uint32_t Recorder::this_thread() noexcept {
  thread_local const std::uint32_t number = threads_++;
  return number;
}

std::optional<std::uint32_t> Recorder::known_site(const void* return_address) {
  const CallSites::Found site = sites_.find(return_address);
  if (site.inside_mpi) return std::nullopt;
  if (site.added != nullptr) writer_.site(*site.added);
  return site.index;
}

KnownCommunicator* Recorder::define_persistent(Kind kind, Handle communicator, const void* return_address, Call& call) {
  const Lock lock(lock_);
  const auto site = known_site(return_address);
  if (!site) return nullptr;
  KnownCommunicator* found = known(communicator, 0);
  if (found == nullptr) return nullptr;
  call.kind = kind;
  call.communicator = found->index;
  call.site = *site;
  call.sequence = found->persistent++;
  return found;
}

KnownCommunicator* Recorder::begin_call(Kind kind, Handle communicator, const void* return_address, Call& call) {
  const Lock lock(lock_);
  const auto site = known_site(return_address);
  if (!site) return nullptr;
  KnownCommunicator* found = known(communicator, 0);
  if (found == nullptr) return nullptr;
  ++calls_;
  call.sequence = found->calls++;
  if (call.sequence % every_ != 0) return nullptr;
  ++recorded_;
  call.kind = kind;
  call.thread = this_thread();
  call.communicator = found->index;
  call.site = *site;
  return found;
}

void Recorder::record(const Call& call) {
  const Lock lock(lock_);
  writer_.call(call);
}

void Recorder::open(Handle request, const Call& call) {
  const Lock lock(lock_);
  open_[abi_.narrow(request)] = {.call = call, .active = true};
  open_count_.store(open_.size(), std::memory_order_relaxed);
}

// MPI orders the starts of one persistent operation, but not those of different operations, so each has its own
// sequence.
void Recorder::open_persistent(Handle request, const Call& call) {
  const Lock lock(lock_);
  writer_.communicator(communicators_.add_persistent_operation(call.communicator, call.sequence));
  OpenRequest opened{.call = call, .persistent = true};
  opened.call.communicator = communicators_.last_index();
  opened.call.sequence = 0;
  opened.call.start = Start::persistent;
  open_[abi_.narrow(request)] = opened;
  open_count_.store(open_.size(), std::memory_order_relaxed);
}

bool Recorder::is_active(Handle request) {
  const Lock lock(lock_);
  const auto found = open_.find(abi_.narrow(request));
  return found != open_.end() && found->second.active;
}

bool Recorder::begin_start(Handle request, Call& call) {
  const Lock lock(lock_);
  const auto found = open_.find(abi_.narrow(request));
  if (found == open_.end() || !found->second.persistent) return false;
  OpenRequest& opened = found->second;
  call = opened.call;
  ++opened.call.sequence;
  ++calls_;
  if (call.sequence % every_ != 0) return false;
  ++recorded_;
  call.thread = this_thread();
  opened.active = true;
  return true;
}

void Recorder::complete(Handle request, bool failed, std::int64_t completing_ns, std::int64_t exit_ns) {
  const Lock lock(lock_);
  const auto found = open_.find(abi_.narrow(request));
  if (found == open_.end() || !found->second.active) return;
  OpenRequest& opened = found->second;
  // A persistent operation already has the sequence number of its next start.
  const std::uint64_t sequence = opened.call.sequence - (opened.persistent ? 1 : 0);
  writer_.completion({.failed = failed,
                      .thread = this_thread(),
                      .communicator = opened.call.communicator,
                      .sequence = sequence,
                      .completing_ns = completing_ns,
                      .exit_ns = exit_ns});
  if (opened.persistent) {
    opened.active = false;
    return;
  }
  open_.erase(found);
  open_count_.store(open_.size(), std::memory_order_relaxed);
}

void Recorder::free(Handle request) {
  const Lock lock(lock_);
  open_.erase(abi_.narrow(request));
  open_count_.store(open_.size(), std::memory_order_relaxed);
}

void Recorder::register_communicator(Handle communicator) {
  const Lock lock(lock_);
  known(communicator, 0);
}

void Recorder::communicator_created(Handle parent, Handle created) {
  if (created == 0 || abi_.narrow(created) == abi_.comm_null) return;
  const Lock lock(lock_);
  known(parent, 0);
  communicators_.remove(created);
  known(created, parent);
}

void Recorder::communicator_freed(Handle communicator) {
  const Lock lock(lock_);
  communicators_.remove(communicator);
}

}  // namespace laxity::trace::preload
