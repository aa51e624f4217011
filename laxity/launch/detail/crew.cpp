#include "laxity/launch/detail/crew.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>

#include "laxity/error.hpp"
#include "laxity/launch/placement.hpp"

namespace laxity::detail {
namespace {

// Life of a child process. It leaves by _exit: destructors and exit handlers are the parent's to run.
[[noreturn]] void live_as_child(const Job& job, const WorkerPlace& place, pid_t parent) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before the line above
  {
    const ThreadCrew others(job, place, 1);
    run_worker(job, place);
  }
  std::cout.flush();
  std::fflush(nullptr);
  _exit(0);
}

std::string fate_of(int status) {
  if (WIFSIGNALED(status)) {
    const char* const description = strsignal(WTERMSIG(status));
    return "signal " + std::to_string(WTERMSIG(status)) + ", " + (description != nullptr ? description : "unknown");
  }
  return "its process ended with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

void run_worker(const Job& job, const WorkerPlace& place) noexcept {
  const int id = place.id();
  // Refused (the mask changed since it was planned): the worker runs unpinned.
  if (!job.processor_of_worker.empty()) pin_this_thread(job.processor_of_worker[static_cast<std::size_t>(id)]);
  job.memory.worker_started(id, getpid());
  try {
    // What concerns the whole rank is done by its first worker, in the thread that joined the MPI.
    Worker worker(place, job.memory, job.arena,
                  {job.ranks, job.link_setup, place.thread == 0 ? job.status_carrier : nullptr});
    job.body(worker);
    job.memory.worker_finished(id);
  } catch (const std::exception& error) {
    job.memory.worker_failed(id, error.what());
  } catch (...) {
    job.memory.worker_failed(id, "threw something that is not a std::exception");
  }
}

ThreadCrew::ThreadCrew(const Job& job, WorkerPlace place, int first) {
  for (place.thread = first; place.thread < place.threads; ++place.thread) {
    try {
      threads_.emplace_back([&job, place] { run_worker(job, place); });
    } catch (const std::system_error& error) {
      job.memory.worker_failed(place.id(), std::string("its thread could not be started: ") + error.what());
    }
  }
}

ThreadCrew::~ThreadCrew() {
  for (std::thread& thread : threads_) thread.join();
}

ProcessCrew::ProcessCrew(const Job& job, WorkerPlace place) : job_(job), place_(place) {
  // What is in the buffers now would be written once by every child.
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  for (place.process = 0; place.process < place.processes; ++place.process) {
    const pid_t child = fork();
    if (child == 0) live_as_child(job, place, parent);
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

ProcessCrew::~ProcessCrew() {
  kill_all();
  reap_all(std::chrono::milliseconds(0));
}

void ProcessCrew::kill_all() const noexcept {
  for (const pid_t child : children_)
    if (child != 0) kill(child, SIGKILL);
}

bool ProcessCrew::reap_child(int process, int options) {
  pid_t& child = children_[static_cast<std::size_t>(process)];
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = waitpid(child, &status, options);
  } while (reaped < 0 && errno == EINTR);
  if (reaped == 0) return false;
  // An error means that the program ignores SIGCHLD, so the system has reaped the child and kept its status.
  const std::string fate = reaped < 0 ? "its process is gone" : fate_of(status);
  child = 0;
  WorkerPlace place = place_;
  place.process = process;
  for (place.thread = 0; place.thread < place.threads; ++place.thread)
    if (!job_.memory.has_ended(place.id())) job_.memory.worker_killed(place.id(), fate);
  return true;
}

void ProcessCrew::reap() {
  for (int process = 0; process < static_cast<int>(children_.size()); ++process)
    if (children_[static_cast<std::size_t>(process)] != 0) reap_child(process, WNOHANG);
}

void ProcessCrew::reap_all(std::chrono::milliseconds grace) {
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
