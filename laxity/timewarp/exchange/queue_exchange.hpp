// Events between the threads of one process through queues that all threads share: k queues for each receiving thread,
// chosen by the receiving logical process and a mask.
//
// Kept beside the rings for the comparison that its source makes: a vector behind a mutex that the receiver swaps out in
// one step, the same behind a spin lock, and a lock-free queue of fixed size.
//
// Source: D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel
// simulations (SIGSIM-PADS 2018), 4.1; the lock-free queue: D. Vyukov, Bounded MPMC queue (2010), here for one receiver.
// Threads: any sends; the thread whose queues they are receives. Elsewhere: rings (ring_exchange.hpp).
#pragma once

#include <sched.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/lock_free_queue.hpp"

namespace laxity::timewarp {

enum class QueueKind { mutex, spin_lock, lock_free };

namespace detail {

class SpinLock {
 public:
  void lock() noexcept {
    while (locked_.exchange(true, std::memory_order_acquire)) {  // L1, pairs with L2
      for (int turn = 0; locked_.load(std::memory_order_relaxed); ++turn) {
        if (turn % 64 == 63) sched_yield();  // the holder may not be running
      }
    }
  }
  void unlock() noexcept { locked_.store(false, std::memory_order_release); }  // L2

 private:
  std::atomic<bool> locked_{false};
};

template <class M>
class EventQueue {
 public:
  using Letter = std::pair<int, Message<M>>;  // sender and message

  virtual ~EventQueue() = default;
  /// False: full.
  [[nodiscard]] virtual bool try_push(const Letter& letter) = 0;
  /// Appends what has come, at most about `limit` letters.
  virtual void take(std::vector<Letter>& out, std::size_t limit) = 0;
};

template <class M, class Lock>
class LockedQueue final : public EventQueue<M> {
 public:
  using typename EventQueue<M>::Letter;

  [[nodiscard]] bool try_push(const Letter& letter) override {
    const std::lock_guard guard(lock_);
    letters_.push_back(letter);
    size_.store(letters_.size(), std::memory_order_relaxed);
    return true;
  }
  void take(std::vector<Letter>& out, std::size_t) override {
    if (size_.load(std::memory_order_relaxed) == 0) return;  // a hint: what comes now is taken next time
    {
      const std::lock_guard guard(lock_);
      taken_.swap(letters_);
      size_.store(0, std::memory_order_relaxed);
    }
    out.insert(out.end(), taken_.begin(), taken_.end());
    taken_.clear();
  }

 private:
  Lock lock_;
  std::atomic<std::size_t> size_{0};
  std::vector<Letter> letters_;
  std::vector<Letter> taken_;
};

template <class M>
class UnlockedQueue final : public EventQueue<M> {
 public:
  using typename EventQueue<M>::Letter;

  [[nodiscard]] bool try_push(const Letter& letter) override { return letters_.try_push(letter); }
  void take(std::vector<Letter>& out, std::size_t limit) override {
    const auto append = [&out](const Letter& letter) { out.push_back(letter); };
    for (std::size_t taken = 0; taken < limit && letters_.try_pop(append); ++taken) continue;
  }

 private:
  LockFreeQueue<Letter, 2048> letters_;
};

}  // namespace detail

/// The queues of all threads of a team.
template <class M>
class EventQueues {
 public:
  /// `per_thread` is rounded down to a power of two.
  EventQueues(int threads, QueueKind kind, std::size_t per_thread)
      : threads_(static_cast<std::size_t>(threads)), per_thread_(std::bit_floor(per_thread)) {
    for (std::size_t i = 0; i < threads_ * per_thread_; ++i) queues_.push_back(make(kind));
  }

  [[nodiscard]] std::size_t threads() const noexcept { return threads_; }
  [[nodiscard]] std::size_t per_thread() const noexcept { return per_thread_; }
  [[nodiscard]] detail::EventQueue<M>& queue(int thread, std::size_t which) noexcept {
    return *queues_[static_cast<std::size_t>(thread) * per_thread_ + which];
  }

 private:
  static std::unique_ptr<detail::EventQueue<M>> make(QueueKind kind) {
    switch (kind) {
      case QueueKind::mutex:
        return std::make_unique<detail::LockedQueue<M, std::mutex>>();
      case QueueKind::spin_lock:
        return std::make_unique<detail::LockedQueue<M, detail::SpinLock>>();
      case QueueKind::lock_free:
        break;
    }
    return std::make_unique<detail::UnlockedQueue<M>>();
  }

  std::size_t threads_;
  std::size_t per_thread_;
  std::vector<std::unique_ptr<detail::EventQueue<M>>> queues_;
};

/// One thread's end; an Exchange.
template <class M>
class QueueExchange {
 public:
  QueueExchange(EventQueues<M>& queues, int self) : queues_(&queues), self_(self), kept_(queues.threads()) {}

  /// The queue of the receiving thread.
  [[nodiscard]] std::size_t lane(LpId receiver) const noexcept { return receiver & (queues_->per_thread() - 1); }
  void send(int to, const Message<M>& message) {
    auto& kept = kept_[static_cast<std::size_t>(to)];
    if (kept.empty() && try_send(to, message)) return;
    kept.push_back(message);
    ++backlog_;
  }

  void flush() {
    if (backlog_ == 0) return;
    for (std::size_t to = 0; to < kept_.size(); ++to) {
      while (!kept_[to].empty() && try_send(static_cast<int>(to), kept_[to].front())) {
        kept_[to].pop_front();
        --backlog_;
      }
    }
  }

  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver deliver) {
    for (std::size_t which = 0; which < queues_->per_thread() && letters_.size() - next_ < limit; ++which) {
      queues_->queue(self_, which).take(letters_, limit);
    }
    std::size_t received = 0;
    for (; received < limit && next_ < letters_.size(); ++received, ++next_) {
      const auto& [from, message] = letters_[next_];
      deliver(static_cast<std::size_t>(from) * queues_->per_thread() + lane(message.receiver), message);
    }
    if (next_ == letters_.size()) {
      letters_.clear();
      next_ = 0;
    }
    return received;
  }

  [[nodiscard]] std::size_t channels() const noexcept { return queues_->threads() * queues_->per_thread(); }
  [[nodiscard]] std::size_t backlog() const noexcept { return backlog_; }

 private:
  [[nodiscard]] bool try_send(int to, const Message<M>& message) {
    return queues_->queue(to, lane(message.receiver)).try_push({self_, message});
  }

  EventQueues<M>* queues_;
  int self_;
  std::vector<std::deque<Message<M>>> kept_;  // by thread, in order
  std::size_t backlog_ = 0;
  std::vector<typename detail::EventQueue<M>::Letter> letters_;  // taken from the queues; those before next_ are gone
  std::size_t next_ = 0;
};

}  // namespace laxity::timewarp
