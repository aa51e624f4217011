// For comparison with the rings only: events between the threads of one process through queues that all threads share,
// k queues for each receiving thread, chosen by the receiving logical process.
//
// Three kinds of queue: a vector behind a mutex, which the receiver swaps out in one step, the same behind a spin lock,
// and a lock-free queue of fixed size.
//
// Source: D. M. Rao, Performance comparison of Cross Memory Attach capable MPI vs. multithreaded optimistic parallel
// simulations (SIGSIM-PADS 2018), 4.1; the lock-free queue: D. Vyukov, Bounded MPMC queue (2010), here for one
// receiver.
// Threads: any thread sends; one thread receives from a queue. Elsewhere: rings (ring_exchange.hpp).
#pragma once

#include <sched.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "laxity/timewarp/exchange/exchange.hpp"
#include "laxity/timewarp/exchange/lock_free_queue.hpp"
#include "laxity/timewarp/exchange/unsent_messages.hpp"
#include "laxity/timewarp/key.hpp"

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
  using Envelope = std::pair<int, Message<M>>;  // sender and message

  virtual ~EventQueue() = default;
  /// False: full.
  [[nodiscard]] virtual bool try_push(const Envelope& envelope) = 0;
  /// Moves messages from the queue to the end of `out`: at most `limit` of a lock-free queue, all of the others.
  virtual void pop_into(std::vector<Envelope>& out, std::size_t limit) = 0;
};

template <class M, class Lock>
class LockedQueue final : public EventQueue<M> {
 public:
  using typename EventQueue<M>::Envelope;

  [[nodiscard]] bool try_push(const Envelope& envelope) override {
    const std::lock_guard guard(lock_);
    envelopes_.push_back(envelope);
    size_.store(envelopes_.size(), std::memory_order_relaxed);
    return true;
  }
  void pop_into(std::vector<Envelope>& out, std::size_t) override {
    if (size_.load(std::memory_order_relaxed) == 0) return;  // a hint: a message that is pushed now is popped next time
    {
      const std::lock_guard guard(lock_);
      popped_.swap(envelopes_);
      size_.store(0, std::memory_order_relaxed);
    }
    out.insert(out.end(), popped_.begin(), popped_.end());
    popped_.clear();
  }

 private:
  Lock lock_;
  std::atomic<std::size_t> size_{0};
  std::vector<Envelope> envelopes_;
  std::vector<Envelope> popped_;  // empty between calls; keeps its memory
};

template <class M>
class LockFreeEventQueue final : public EventQueue<M> {
 public:
  using typename EventQueue<M>::Envelope;

  [[nodiscard]] bool try_push(const Envelope& envelope) override { return envelopes_.try_push(envelope); }
  void pop_into(std::vector<Envelope>& out, std::size_t limit) override {
    const auto append = [&out](const Envelope& envelope) { out.push_back(envelope); };
    for (std::size_t popped = 0; popped < limit && envelopes_.try_pop(append); ++popped) continue;
  }

 private:
  LockFreeQueue<Envelope, 2048> envelopes_;
};

}  // namespace detail

/// The queues of all threads of a team.
template <class M>
class EventQueues {
 public:
  /// `per_thread`: queues of each thread, rounded down to a power of two.
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
    return std::make_unique<detail::LockFreeEventQueue<M>>();
  }

  std::size_t threads_;
  std::size_t per_thread_;
  std::vector<std::unique_ptr<detail::EventQueue<M>>> queues_;
};

/// The end of one thread; an Exchange.
template <class M>
class QueueExchange {
 public:
  QueueExchange(EventQueues<M>& queues, int self) : queues_(&queues), self_(self), unsent_(queues.threads()) {}

  /// The number of the queue among those of the receiving thread.
  [[nodiscard]] std::size_t lane(LpId receiver) const noexcept { return receiver & (queues_->per_thread() - 1); }
  void send(int to, const Message<M>& message) {
    const bool was_sent = unsent_[static_cast<std::size_t>(to)].send_or_keep(
        message, [&](const Message<M>& unsent) { return try_send(to, unsent); });
    backlog_ += was_sent ? 0 : 1;
  }

  void flush() {
    if (backlog_ == 0) return;
    for (std::size_t to = 0; to < unsent_.size(); ++to) {
      backlog_ -= unsent_[to].retry([&](const Message<M>& unsent) { return try_send(static_cast<int>(to), unsent); });
    }
  }

  template <class Deliver>
  std::size_t receive(std::size_t limit, Deliver deliver) {
    for (std::size_t which = 0; which < queues_->per_thread() && envelopes_.size() - next_ < limit; ++which) {
      queues_->queue(self_, which).pop_into(envelopes_, limit);
    }
    std::size_t received = 0;
    for (; received < limit && next_ < envelopes_.size(); ++received, ++next_) {
      const auto& [from, message] = envelopes_[next_];
      deliver(static_cast<std::size_t>(from) * queues_->per_thread() + lane(message.receiver), message);
    }
    if (next_ == envelopes_.size()) {
      envelopes_.clear();
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
  std::vector<UnsentMessages<M>> unsent_;  // by thread
  std::size_t backlog_ = 0;
  std::vector<typename detail::EventQueue<M>::Envelope>
      envelopes_;  // popped from the queues; those before next_ are delivered
  std::size_t next_ = 0;
};

}  // namespace laxity::timewarp
