// The latest-value slot, a mutex-guarded cell and a single-slot seqlock: fresh reads, their age, torn values, starvation.
//
// One thread writes 64-byte values as fast as it can, another reads as fast as it can, on two cores. A read is fresh if
// it shows another value than the read before. usage: latest_slot_benchmark [--rounds N] [--csv FILE] [--torn-reads N]
// [--smoke]
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "laxity/median.hpp"
#include "laxity/transport/latest_slot.hpp"

namespace laxity::bench {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

/// 64 bytes. Every word is computed from the first, so that a torn value is detected.
struct Value {
  std::int64_t words[8];
  void set(std::int64_t first) noexcept {
    for (int i = 0; i < 8; ++i) words[i] = first * (i + 1);
  }
  [[nodiscard]] bool whole() const noexcept {
    bool equal = true;
    for (int i = 0; i < 8; ++i) equal = equal && words[i] == words[0] * (i + 1);
    return equal;
  }
};

/// Interface of all candidates: write(first word); read(value), false if there is nothing new.
class Slot {
 public:
  Slot() {
    if (sizeof memory_ < LatestSlot::bytes_needed(shape)) std::abort();
    LatestSlot::initialize(memory_, shape);
  }
  class Writer {
   public:
    explicit Writer(Slot& slot) : sender_(slot.memory_) {}
    void write(std::int64_t first) noexcept {
      reinterpret_cast<Value*>(sender_.try_claim())->set(first);
      sender_.publish(sizeof(Value));
    }

   private:
    LatestSlot::Sender sender_;
  };
  class Reader {
   public:
    explicit Reader(Slot& slot) : receiver_(slot.memory_) {}
    bool read(Value& value) noexcept {
      if (receiver_.jump() == 0) return false;
      std::memcpy(&value, receiver_.frame().data(), sizeof value);
      return true;
    }

   private:
    LatestSlot::Receiver receiver_;
  };

 private:
  static constexpr RingShape shape{1, sizeof(Value)};
  alignas(64) std::byte memory_[1024];
};

class MutexCell {
 public:
  class Writer {
   public:
    explicit Writer(MutexCell& cell) : cell_(cell) {}
    void write(std::int64_t first) {
      const std::lock_guard lock(cell_.mutex_);
      cell_.value_.set(first);
      ++cell_.version_;
    }

   private:
    MutexCell& cell_;
  };
  class Reader {
   public:
    explicit Reader(MutexCell& cell) : cell_(cell) {}
    bool read(Value& value) {
      const std::lock_guard lock(cell_.mutex_);
      if (cell_.version_ == seen_) return false;
      seen_ = cell_.version_;
      value = cell_.value_;
      return true;
    }

   private:
    MutexCell& cell_;
    std::uint64_t seen_ = 0;
  };

 private:
  alignas(64) std::mutex mutex_;
  std::uint64_t version_ = 0;
  Value value_{};
};

/// One slot guarded by a version that is odd while it is written. The reader gives up after 100 tries.
class Seqlock {
 public:
  class Writer {
   public:
    explicit Writer(Seqlock& cell) : cell_(cell) {}
    void write(std::int64_t first) noexcept {
      const std::uint64_t version = cell_.version_.load(std::memory_order_relaxed);
      cell_.version_.exchange(version + 1, std::memory_order_acq_rel);
      for (int i = 0; i < 8; ++i) cell_.words_[i].store(first * (i + 1), std::memory_order_release);
      cell_.version_.store(version + 2, std::memory_order_release);
    }

   private:
    Seqlock& cell_;
  };
  class Reader {
   public:
    explicit Reader(Seqlock& cell) : cell_(cell) {}
    bool read(Value& value) noexcept {
      for (int attempt = 0; attempt < 100; ++attempt) {
        const std::uint64_t before = cell_.version_.load(std::memory_order_acquire);
        if (before % 2 != 0) continue;
        for (int i = 0; i < 8; ++i) value.words[i] = cell_.words_[i].load(std::memory_order_acquire);
        if (cell_.version_.load(std::memory_order_relaxed) != before) continue;
        const bool fresh = before != seen_;
        seen_ = before;
        return fresh;
      }
      return false;
    }

   private:
    Seqlock& cell_;
    std::uint64_t seen_ = 0;
  };

 private:
  alignas(64) std::atomic<std::uint64_t> version_{0};
  std::atomic<std::int64_t> words_[8] = {};
};

void pin_to_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(core), &set);
  sched_setaffinity(0, sizeof set, &set);
}

struct Outcome {
  double fresh_per_us = 0;  // fresh reads, millions per second
  double age_p50_ns = 0;    // of fresh reads
  double age_p99_ns = 0;
  double longest_wait_us = 0;  // without a fresh read
  std::uint64_t torn = 0;
};

/// Runs writer and reader until `reads` fresh reads or `limit` have passed. With ages the first word is the time of
/// writing.
template <class Cell>
Outcome run(std::uint64_t reads, std::chrono::milliseconds limit, bool with_ages) {
  Cell cell;
  std::atomic<bool> stop{false};
  std::thread writer_thread([&] {
    pin_to_core(1);
    typename Cell::Writer writer(cell);
    for (std::int64_t count = 1; !stop.load(std::memory_order_relaxed); ++count) {
      writer.write(with_ages ? now_ns() : count);
    }
  });
  pin_to_core(0);
  typename Cell::Reader reader(cell);
  Outcome outcome;
  std::vector<double> ages;
  Value value{};
  std::uint64_t fresh = 0;
  std::uint64_t polls = 0;
  const std::int64_t start = now_ns();
  std::int64_t last_fresh = start;
  while (fresh < reads) {
    const bool is_fresh = reader.read(value);
    if (is_fresh) {
      ++fresh;
      if (!value.whole()) ++outcome.torn;
    }
    if (with_ages) {
      const std::int64_t now = now_ns();
      if (is_fresh) {
        ages.push_back(static_cast<double>(now - value.words[0]));
        outcome.longest_wait_us = std::max(outcome.longest_wait_us, static_cast<double>(now - last_fresh) / 1e3);
        last_fresh = now;
      }
    }
    if (++polls % 1024 == 0 && now_ns() - start > std::chrono::nanoseconds(limit).count()) break;
  }
  const std::int64_t end = now_ns();
  if (with_ages)
    outcome.longest_wait_us = std::max(outcome.longest_wait_us, static_cast<double>(end - last_fresh) / 1e3);
  stop = true;
  writer_thread.join();
  outcome.fresh_per_us = static_cast<double>(fresh) * 1e3 / static_cast<double>(end - start);
  if (!ages.empty()) {
    std::sort(ages.begin(), ages.end());
    outcome.age_p50_ns = ages[ages.size() / 2];
    outcome.age_p99_ns = ages[ages.size() * 99 / 100];
  }
  return outcome;
}

struct Candidate {
  std::string name;
  std::function<Outcome(bool)> measure;  // argument: whether ages are measured
  std::vector<double> rates{}, ratios{}, p50{}, p99{}, waits{};
  std::uint64_t torn = 0;
};

template <class Cell>
Candidate candidate(std::string name, std::uint64_t reads) {
  return {std::move(name),
          [=](bool ages) { return run<Cell>(ages ? reads / 4 : reads, std::chrono::milliseconds(300), ages); }};
}

void compare(int rounds, std::uint64_t reads, std::ofstream& csv) {
  std::vector<Candidate> candidates{candidate<MutexCell>("mutex cell", reads), candidate<Slot>("latest_slot", reads),
                                    candidate<Seqlock>("single-slot seqlock", reads)};
  for (int round = 0; round < rounds; ++round) {
    for (auto& each : candidates) {
      const Outcome rate = each.measure(false);
      const Outcome age = each.measure(true);
      each.rates.push_back(rate.fresh_per_us);
      each.ratios.push_back(rate.fresh_per_us / candidates.front().rates.back());
      each.p50.push_back(age.age_p50_ns);
      each.p99.push_back(age.age_p99_ns);
      each.waits.push_back(age.longest_wait_us);
      each.torn += rate.torn + age.torn;
      if (csv.is_open()) {
        csv << each.name << ',' << round << ',' << rate.fresh_per_us << ',' << age.age_p50_ns << ',' << age.age_p99_ns
            << ',' << age.longest_wait_us << '\n';
      }
    }
  }
  std::printf("%-22s %14s %12s %10s %10s %16s %6s\n", "", "fresh M/s", "/ mutex", "age p50 ns", "p99 ns",
              "longest wait us", "torn");
  for (const auto& each : candidates) {
    std::printf("%-22s %14.2f %12.2f %10.0f %10.0f %16.1f %6llu\n", each.name.c_str(), median(each.rates),
                median(each.ratios), median(each.p50), median(each.p99), median(each.waits),
                static_cast<unsigned long long>(each.torn));
  }
}

[[noreturn]] void usage(const char* program) {
  std::fprintf(stderr, "usage: %s [--rounds N] [--csv FILE] [--torn-reads N] [--smoke]\n", program);
  std::exit(2);
}

}  // namespace
}  // namespace laxity::bench

int main(int argc, char** argv) {
  using namespace laxity::bench;
  int rounds = 9;
  std::uint64_t reads = 1'000'000;
  std::uint64_t torn_reads = 0;
  std::ofstream csv;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--smoke") {
      rounds = 1;
      reads = 20'000;
    } else if (i + 1 == argc) {
      usage(argv[0]);
    } else if (argument == "--rounds") {
      rounds = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--torn-reads") {
      torn_reads = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--csv") {
      csv.open(argv[++i]);
      csv << "candidate,round,fresh_reads_millions_per_s,age_p50_ns,age_p99_ns,longest_wait_us\n";
    } else {
      usage(argv[0]);
    }
  }
  if (torn_reads == 0) {
    compare(rounds, reads, csv);
    return 0;
  }
  const Outcome outcome = run<Slot>(torn_reads, std::chrono::hours(1), false);
  std::printf("%llu fresh reads at %.1f M/s, %llu torn\n", static_cast<unsigned long long>(torn_reads),
              outcome.fresh_per_us, static_cast<unsigned long long>(outcome.torn));
  return outcome.torn == 0 ? 0 : 1;
}
