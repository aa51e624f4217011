// What the tracer knows of the process it sits in: its communicators, call sites and open requests, and its trace file.
//
// Invariants: there is no recorder before MPI_Init has returned, after MPI_Finalize was entered, in a forked child, in a
// process that is left out, or under an MPI that is not known; every entry then only passes the call on. A call that is
// made inside of a traced one (by MPI's own bindings, or by another tool) is not looked at: each call counts once,
// however many entry points it passes. Threads: any; a lock is held while the recorder looks or writes, never while MPI
// works. Elsewhere: the entry points (entries_*.cpp), how bytes are counted (volume.hpp), the file (writer.hpp).
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/trace/detail/preload/abi.hpp"
#include "laxity/trace/detail/preload/call_sites.hpp"
#include "laxity/trace/detail/preload/communicators.hpp"
#include "laxity/trace/file/writer.hpp"

namespace laxity::trace::preload {

/// A nonblocking or persistent operation that a request stands for.
struct OpenRequest {
  Call call;
  bool active = false;      ///< started and not completed
  bool persistent = false;  ///< `call` is what each start does; kept until the request is freed
};

class Recorder {
 public:
  Recorder(const Abi& abi, std::uint32_t every) : abi_(abi), communicators_(abi), every_(every) {}

  /// The recorder, if calls of this thread are to be recorded now.
  [[nodiscard]] static Recorder* here() noexcept {
    return depth_ == 0 ? active_.load(std::memory_order_acquire) : nullptr;
  }
  static void activate(Recorder* recorder) noexcept { active_.store(recorder, std::memory_order_release); }
  [[nodiscard]] static Recorder* active() noexcept { return active_.load(std::memory_order_acquire); }
  /// Whether this thread is inside of a traced call.
  [[nodiscard]] static bool is_inside() noexcept { return depth_ != 0; }

  /// While one exists, calls of this thread are passed on only. Keeps errno from entry to exit.
  class Inside {
   public:
    Inside() noexcept { ++depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      --depth_;
      errno = errno_;
    }
    void restore_errno() const noexcept { errno = errno_; }
    void keep_errno() noexcept { errno_ = errno; }

   private:
    int errno_ = errno;
  };

  [[nodiscard]] const Abi& abi() const noexcept { return abi_; }
  [[nodiscard]] Writer& writer() noexcept { return writer_; }
  [[nodiscard]] static std::int64_t now_ns() noexcept { return SteadyClock{}.now_ns(); }

  /// Counts a call. The communicator if the call is to be recorded, with `call` begun; else null.
  [[nodiscard]] KnownCommunicator* admit(Kind kind, Handle communicator, const void* return_address, Call& call);
  /// Begins the call that each start of a persistent operation will be. Null: it is not to be recorded.
  [[nodiscard]] KnownCommunicator* prepare(Kind kind, Handle communicator, const void* return_address, Call& call);
  void record(const Call& call);

  /// `request` stands for a call that record() was given, or for a persistent operation on a line of its own.
  void open(Handle request, const Call& call);
  void open_persistent(Handle request, const Call& call);
  [[nodiscard]] bool has_open() const noexcept { return open_count_.load(std::memory_order_relaxed) != 0; }
  /// Whether the request is one of ours, and has been started.
  [[nodiscard]] bool is_active(Handle request);
  /// A persistent request is about to be started: the call, to be recorded when it has been. False: it is not ours.
  [[nodiscard]] bool begin_start(Handle request, Call& call);
  void complete(Handle request, bool failed, std::int64_t completing_ns, std::int64_t exit_ns);
  void free(Handle request);

  /// A communicator that is there before the program makes any. The first is to be MPI_COMM_WORLD.
  void meet(Handle communicator);
  /// `made` is a new communicator, made from `parent`.
  void made(Handle parent, Handle made);
  void forget(Handle communicator);

  /// Calls on all communicators so far, and those of them that were recorded.
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  [[nodiscard]] std::uint64_t recorded() const noexcept { return recorded_; }

 private:
  /// Threads of a process rarely meet here: only MPI_THREAD_MULTIPLE lets them.
  class Lock {
   public:
    explicit Lock(std::atomic_flag& flag) noexcept;
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { flag_.clear(std::memory_order_release); }

   private:
    std::atomic_flag& flag_;
  };

  KnownCommunicator* known(Handle communicator, Handle parent);
  /// The site's index; nothing if the call comes out of MPI itself.
  std::optional<std::uint32_t> known_site(const void* return_address);

  static inline constinit std::atomic<Recorder*> active_{nullptr};
  static inline constinit thread_local int depth_ = 0;

  const Abi& abi_;
  Writer writer_;
  Communicators communicators_;
  CallSites sites_;
  std::uint32_t every_;
  std::uint64_t calls_ = 0, recorded_ = 0;
  std::unordered_map<Handle, OpenRequest> open_;
  std::atomic<std::size_t> open_count_{0};
  std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
};

}  // namespace laxity::trace::preload
