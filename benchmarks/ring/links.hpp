// The candidates as links for measure.hpp: laxity's ring, its peers, a textbook ring, and bare cache lines as lower bounds.
#pragma once

#include <readerwriterqueue/readerwriterqueue.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <memory>
#include <new>

#include "laxity/transport/spsc_ring.hpp"
#include "measure.hpp"

namespace laxity::bench {

/// Memory shared with a forked child.
class SharedMapping {
 public:
  explicit SharedMapping(std::size_t bytes)
      : bytes_(bytes), place_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (place_ == MAP_FAILED) throw std::bad_alloc();
  }
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;
  ~SharedMapping() { munmap(place_, bytes_); }
  [[nodiscard]] std::byte* bytes() const noexcept { return static_cast<std::byte*>(place_); }

 private:
  std::size_t bytes_;
  void* place_;
};

/// SpscRing, written and read in place. Batch 1: every message is published at once; otherwise staged and flushed.
template <class M, std::size_t capacity, std::size_t batch>
class Laxity {
 public:
  static constexpr RingShape shape{capacity, sizeof(M)};
  Laxity() : memory_(SpscRing::bytes_needed(shape)) { SpscRing::initialize(memory_.bytes(), shape); }

  struct Producer {
    SpscRing::Sender sender;
    std::size_t staged = 0;
    bool send(std::uint32_t value) noexcept {
      std::byte* room = sender.try_claim();
      if (room == nullptr) return false;
      reinterpret_cast<M*>(room)->fill(value);
      if constexpr (batch == 1) {
        sender.publish(sizeof(M));
      } else {
        sender.stage(sizeof(M));
        if (++staged == batch) flush();
      }
      return true;
    }
    void flush() noexcept {
      sender.flush();
      staged = 0;
    }
  };
  struct Consumer {
    SpscRing::Receiver receiver;
    bool receive(std::uint32_t& total) noexcept {
      if (receiver.try_step(1) == 0) return false;
      total += reinterpret_cast<const M*>(receiver.frame().data())->sum();
      return true;
    }
  };
  Producer producer() { return {SpscRing::Sender(memory_.bytes())}; }
  Consumer consumer() { return {SpscRing::Receiver(memory_.bytes())}; }

 private:
  SharedMapping memory_;
};

/// A queue that copies messages in and out: Queue has push(const M&) and pop(M&).
template <class M, class Queue>
class Copying {
 public:
  Copying() : queue_(std::make_unique<Queue>()) {}
  bool send(std::uint32_t value) {
    M message;
    message.fill(value);
    return queue_->push(message);
  }
  void flush() const noexcept {}
  bool receive(std::uint32_t& total) {
    M message;
    if (!queue_->pop(message)) return false;
    total += message.sum();
    return true;
  }
  Copying& producer() noexcept { return *this; }
  Copying& consumer() noexcept { return *this; }

 private:
  std::unique_ptr<Queue> queue_;
};

template <class M, std::size_t capacity>
using Boost = Copying<M, boost::lockfree::spsc_queue<M, boost::lockfree::capacity<capacity>>>;

template <class M, std::size_t capacity>
class MoodycamelQueue {
 public:
  bool push(const M& message) { return queue_.try_enqueue(message); }
  bool pop(M& message) { return queue_.try_dequeue(message); }

 private:
  moodycamel::ReaderWriterQueue<M> queue_{capacity};
};
template <class M, std::size_t capacity>
using Moodycamel = Copying<M, MoodycamelQueue<M, capacity>>;

/// The textbook ring: both indices are shared, and each call reads both.
template <class M, std::size_t capacity>
class TextbookQueue {
 public:
  bool push(const M& message) noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == capacity) return false;
    slots_[tail % capacity] = message;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  bool pop(M& message) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    message = slots_[head % capacity];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

 private:
  alignas(64) std::atomic<std::uint64_t> head_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  alignas(64) M slots_[capacity];
};
template <class M, std::size_t capacity>
using Textbook = Copying<M, TextbookQueue<M, capacity>>;

/// Bare lines: contiguous messages and a counter in each direction, read once for every 64 messages (8 at 12 kB), with
/// prefetching on both sides and no interface: the throughput of the hardware for these bytes.
template <class M, std::size_t capacity>
class BareLines {
  static constexpr std::size_t batch = std::min<std::size_t>(64, capacity / 8);
  struct Lines {
    alignas(64) std::atomic<std::uint64_t> written{0};
    alignas(64) std::atomic<std::uint64_t> read{0};
    alignas(64) M messages[capacity];
  };
  template <auto ask>
  static void prefetch(Lines& lines, std::uint64_t position, std::size_t distance) noexcept {
    if (sizeof(M) > distance) return;  // the hardware prefetches such long runs
    const std::uint64_t ahead = position + distance / sizeof(M);
    detail::for_each_line_in(reinterpret_cast<std::byte*>(&lines.messages[ahead % capacity]), sizeof(M), ask);
  }

 public:
  BareLines() : memory_(sizeof(Lines)), lines_(new(memory_.bytes()) Lines) {}

  struct Producer {
    Lines& lines;
    std::uint64_t written = 0;
    std::uint64_t read_seen = 0;
    bool send(std::uint32_t value) noexcept {
      if (written % batch == 0 && !batch_fits()) return false;
      prefetch<detail::prefetch_for_writing>(lines, written, 4096);
      lines.messages[written % capacity].fill(value);
      if (++written % batch == 0) flush();
      return true;
    }
    bool batch_fits() noexcept {
      if (written + batch - read_seen > capacity) read_seen = lines.read.load(std::memory_order_acquire);
      return written + batch - read_seen <= capacity;
    }
    void flush() noexcept { lines.written.store(written, std::memory_order_release); }
  };
  struct Consumer {
    Lines& lines;
    std::uint64_t read = 0;
    std::uint64_t written_seen = 0;
    bool receive(std::uint32_t& total) noexcept {
      if (read == written_seen) {
        lines.read.store(read, std::memory_order_release);
        written_seen = lines.written.load(std::memory_order_acquire);
        if (read == written_seen) return false;
      }
      prefetch<detail::prefetch_for_reading>(lines, read, 2048);
      total += lines.messages[read++ % capacity].sum();
      return true;
    }
  };
  Producer producer() noexcept { return {*lines_}; }
  Consumer consumer() noexcept { return {*lines_}; }

 private:
  SharedMapping memory_;
  Lines* lines_;
};

/// One cache line that one side writes and the other polls: the floor of a round trip.
class BareLine {
 public:
  BareLine() : memory_(sizeof(Line)), line_(new(memory_.bytes()) Line) {}
  struct End {
    std::atomic<std::uint32_t>& word;
    std::uint32_t count = 0;
    bool send(std::uint32_t) noexcept {
      word.store(++count, std::memory_order_release);
      return true;
    }
    void flush() const noexcept {}
    bool receive(std::uint32_t& total) noexcept {
      if (word.load(std::memory_order_acquire) != count + 1) return false;
      total += ++count;
      return true;
    }
  };
  End producer() noexcept { return {line_->word}; }
  End consumer() noexcept { return {line_->word}; }

 private:
  struct alignas(64) Line {
    std::atomic<std::uint32_t> word{0};
  };
  SharedMapping memory_;
  Line* line_;
};

}  // namespace laxity::bench
