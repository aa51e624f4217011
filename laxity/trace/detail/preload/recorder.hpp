// The state of the tracer in a process: its communicators, call sites, pending requests and trace file.
//
// Invariants: no recorder is active before MPI_Init returns, after MPI_Finalize is entered, in a forked child, in a
// process that is excluded, or with an unknown MPI; every entry point then only forwards the call. A call from within a
// traced call (by MPI's own bindings or by another tool) is forwarded, too, so that each call counts once however many
// entry points it passes. Threads: any. A lock protects the state and is never held while MPI runs.
// Elsewhere: entry points (entries_*.cpp), byte counts (volume.hpp), the file (laxity/trace/file/writer.hpp).
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "laxity/clock/clock.hpp"
#include "laxity/trace/detail/preload/abi.hpp"
#include "laxity/trace/detail/preload/call_sites.hpp"
#include "laxity/trace/detail/preload/communicators.hpp"
#include "laxity/trace/file/kind.hpp"
#include "laxity/trace/file/record.hpp"
#include "laxity/trace/file/writer.hpp"

namespace laxity::trace::preload {

/// The nonblocking or persistent operation of a request.
struct OpenRequest {
  Call call;
  bool active = false;      ///< started and not completed
  bool persistent = false;  ///< `call` describes the next start; the entry exists until the request is freed
};

class Recorder {
 public:
  Recorder(const Abi& abi, std::uint32_t every) : abi_(abi), communicators_(abi), every_(every) {}

  /// The active recorder; null if there is none or this thread is inside of a traced call.
  [[nodiscard]] static Recorder* for_this_thread() noexcept {
    return depth_ == 0 ? active_.load(std::memory_order_acquire) : nullptr;
  }
  static void activate(Recorder* recorder) noexcept { active_.store(recorder, std::memory_order_release); }
  [[nodiscard]] static Recorder* active() noexcept { return active_.load(std::memory_order_acquire); }
  /// Whether this thread is inside of a traced call.
  [[nodiscard]] static bool is_passing_through() noexcept { return depth_ != 0; }

  /// While it exists, calls of this thread are forwarded without being recorded. Preserves errno.
  class PassThrough {
   public:
    PassThrough() noexcept { ++depth_; }
    PassThrough(const PassThrough&) = delete;
    PassThrough& operator=(const PassThrough&) = delete;
    ~PassThrough() {
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

  /// Counts a call. If it is to be recorded, fills in `call` and returns its communicator; otherwise returns null.
  [[nodiscard]] KnownCommunicator* begin_call(Kind kind, Handle communicator, const void* return_address, Call& call);
  /// Fills in the call that each start of a persistent operation makes. Null if it is not to be recorded.
  [[nodiscard]] KnownCommunicator* define_persistent(Kind kind, Handle communicator, const void* return_address,
                                                     Call& call);
  void record(const Call& call);

  /// Registers the request of a recorded call, or of a persistent operation, which has its own sequence.
  void open(Handle request, const Call& call);
  void open_persistent(Handle request, const Call& call);
  [[nodiscard]] bool has_open() const noexcept { return open_count_.load(std::memory_order_relaxed) != 0; }
  /// Whether the request belongs to a collective that was started and not completed.
  [[nodiscard]] bool is_active(Handle request);
  /// Counts the start of a persistent request. True if it is to be recorded, with `call` filled in.
  [[nodiscard]] bool begin_start(Handle request, Call& call);
  void complete(Handle request, bool failed, std::int64_t completing_ns, std::int64_t exit_ns);
  void free(Handle request);

  /// Registers a predefined communicator. The first one must be MPI_COMM_WORLD.
  void register_communicator(Handle communicator);
  void communicator_created(Handle parent, Handle created);
  void communicator_freed(Handle communicator);

  /// Number of calls on all communicators, and number of recorded calls.
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }
  [[nodiscard]] std::uint64_t recorded() const noexcept { return recorded_; }

 private:
  /// A spin lock, which is rarely contended: only with MPI_THREAD_MULTIPLE.
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
  /// The number of this thread, from 0 in the order of first recorded calls.
  std::uint32_t this_thread() noexcept;
  /// The index of the call site; empty if MPI itself made the call.
  std::optional<std::uint32_t> known_site(const void* return_address);

  static inline constinit std::atomic<Recorder*> active_{nullptr};
  static inline constinit thread_local int depth_ = 0;

  const Abi& abi_;
  Writer writer_;
  Communicators communicators_;
  CallSites sites_;
  std::uint32_t every_;
  std::uint64_t calls_ = 0, recorded_ = 0;
  std::uint32_t threads_ = 0;
  std::unordered_map<Handle, OpenRequest> open_;
  std::atomic<std::size_t> open_count_{0};
  std::atomic_flag lock_ = ATOMIC_FLAG_INIT;
};

}  // namespace laxity::trace::preload
