#include "laxity/launch/detail/worker_groups.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include "laxity/error.hpp"
#include "laxity/launch/detail/stop_signals.hpp"
#include "laxity/launch/placement.hpp"

namespace laxity::detail {
namespace {

// Runs a child process. It ends with _exit, because destructors and exit handlers belong to the parent.
[[noreturn]] void run_child_process(const WorkerTask& task, const WorkerPlace& place, pid_t parent) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before the call above
  StopSignals::is_process(place.process);
  {
    const ThreadGroup others(task, place, 1);
    run_worker(task, place);
  }
  std::cout.flush();
  std::fflush(nullptr);
  _exit(0);
}

std::string description_of(int status) {
  if (WIFSIGNALED(status)) return name_of_signal(WTERMSIG(status));
  return "its process ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void run_worker(const WorkerTask& task, const WorkerPlace& place) noexcept {
  const int id = place.id();
  // Pinning fails if the affinity mask has changed since the placement was planned; the worker then runs unpinned.
  if (!task.processor_of_worker.empty()) pin_this_thread(task.processor_of_worker[static_cast<std::size_t>(id)]);
  task.memory.worker_started(id, getpid());
  try {
    // The first worker of a rank, because it runs in the thread that joined MPI.
    Worker worker(place, task.memory, task.arena,
                  {task.ranks, task.link_setup, place.thread == 0 ? task.progress : nullptr});
    task.body(worker);
    task.memory.worker_finished(id);
  } catch (const std::bad_alloc&) {
    task.memory.worker_failed(id, "out of memory" + limit_behind(ENOMEM));
  } catch (const std::exception& error) {
    task.memory.worker_failed(id, error.what());
  } catch (...) {
    task.memory.worker_failed(id, "threw something that is not a std::exception");
  }
}

ThreadGroup::ThreadGroup(const WorkerTask& task, WorkerPlace place, int first) {
  for (place.thread = first; place.thread < place.threads; ++place.thread) {
    try {
      threads_.emplace_back([&task, place] { run_worker(task, place); });
    } catch (const std::system_error& error) {
      task.memory.worker_failed(place.id(), std::string("its thread could not be started: ") + error.what());
    }
  }
}

ThreadGroup::~ThreadGroup() {
  for (std::thread& thread : threads_) thread.join();
}

ProcessGroup::ProcessGroup(const WorkerTask& task, WorkerPlace place) : task_(task), place_(place) {
  // Otherwise every child would write the buffered output once more.
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  for (place.process = 0; place.process < place.processes; ++place.process) {
    const pid_t child = fork();
    if (child == 0) run_child_process(task, place, parent);
    if (child < 0) {
      const int error_number = errno;
      kill_all();
      reap_all(std::chrono::milliseconds(0));
      throw SystemError(
          "fork(process " + std::to_string(place.process) + " of a team of " + std::to_string(place.processes) + ")",
          error_number);
    }
    children_.push_back(child);
  }
}

ProcessGroup::~ProcessGroup() {
  kill_all();
  reap_all(std::chrono::milliseconds(0));
}

void ProcessGroup::kill_all() const noexcept {
  for (const pid_t child : children_)
    if (child != 0) kill(child, SIGKILL);
}

void ProcessGroup::give_up(const std::vector<int>& workers, const std::string& why) const noexcept {
  for (const int worker : workers) {
    const pid_t child = children_[static_cast<std::size_t>(worker / place_.threads)];
    if (child == 0) continue;
    task_.memory.worker_killed(worker, why);
    kill(child, SIGKILL);
  }
}

bool ProcessGroup::reap_child(int process, int options) {
  pid_t& child = children_[static_cast<std::size_t>(process)];
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = waitpid(child, &status, options);
  } while (reaped < 0 && errno == EINTR);
  if (reaped == 0) return false;
  // waitpid fails if the program ignores SIGCHLD: the system has then reaped the child and dropped its status.
  const std::string cause = reaped < 0 ? "its process is gone" : description_of(status);
  child = 0;
  WorkerPlace place = place_;
  place.process = process;
  for (place.thread = 0; place.thread < place.threads; ++place.thread)
    if (!task_.memory.has_ended(place.id())) task_.memory.worker_killed(place.id(), cause);
  return true;
}

void ProcessGroup::reap() {
  for (int process = 0; process < static_cast<int>(children_.size()); ++process)
    if (children_[static_cast<std::size_t>(process)] != 0) reap_child(process, WNOHANG);
}

void ProcessGroup::reap_all(std::chrono::milliseconds grace) {
  const auto deadline = std::chrono::steady_clock::now() + grace;
  for (int process = 0; process < static_cast<int>(children_.size()); ++process) {
    const pid_t child = children_[static_cast<std::size_t>(process)];
    if (child == 0) continue;
    while (!reap_child(process, WNOHANG)) {
      if (std::chrono::steady_clock::now() >= deadline) {
        kill(child, SIGKILL);
        reap_child(process, 0);
        break;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
}

}  // namespace laxity::detail
