// Measurement of a link between two cores: throughput in one direction, and round trips.
//
// The two sides run on two pinned cores, as threads of this process or as this process and a forked child; the side
// that takes the time is always this process. Waiting loops of all candidates use the pause instruction.
#pragma once

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>

#include "laxity/median.hpp"
#endif

namespace laxity::bench {

inline void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

inline void pin_to_core(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(core), &set);
  sched_setaffinity(0, sizeof set, &set);  // with only one core the figures mean little
}

/// A message of `bytes` bytes. Both ends touch all of it: the producer writes every word, the consumer reads every
/// word.
template <std::size_t bytes>
struct Message {
  std::uint32_t words[bytes / 4];
  void fill(std::uint32_t value) noexcept {
    for (auto& word : words) word = value;
  }
  [[nodiscard]] std::uint32_t sum() const noexcept {
    std::uint32_t total = 0;
    for (const auto word : words) total += word;
    return total;
  }
};

enum class Between { threads, processes };

/// Runs `there` on core 1 and `here` on core 0 until both return. They must not capture the same objects: a loop may read
/// a captured object for every message, and false sharing of its line would slow down both sides.
template <class There, class Here>
void on_two_cores(Between between, There there, Here here) {
  if (between == Between::threads) {
    std::thread other([there] {
      pin_to_core(1);
      there();
    });
    pin_to_core(0);
    here();
    other.join();
    return;
  }
  const pid_t child = fork();
  if (child == 0) {
    pin_to_core(1);
    there();
    _exit(0);
  }
  pin_to_core(0);
  here();
  waitpid(child, nullptr, 0);
}

inline double elapsed_ns(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - since).count();
}

/// Messages per microsecond (millions per second), without the first tenth. Link has producer() and consumer(), whose
/// results have send(value), flush() and receive(sum).
template <class Link>
double throughput(std::uint64_t messages, Between between) {
  const auto link = std::make_unique<Link>();
  double ns = 0;
  on_two_cores(
      between,
      [&link = *link, messages] {
        auto&& end = link.producer();
        for (std::uint64_t sent = 0; sent < messages;) {
          if (end.send(static_cast<std::uint32_t>(sent))) {
            ++sent;
          } else {
            relax();
          }
        }
        end.flush();
      },
      [&link = *link, &ns, messages] {
        auto&& end = link.consumer();
        std::uint32_t total = 0;
        const std::uint64_t warm_up = messages / 10;
        auto start = std::chrono::steady_clock::now();
        for (std::uint64_t received = 0; received < messages;) {
          if (!end.receive(total)) {
            relax();
          } else if (++received == warm_up) {
            start = std::chrono::steady_clock::now();
          }
        }
        ns = elapsed_ns(start) / static_cast<double>(messages - warm_up);
        volatile std::uint32_t keep = total;
        (void)keep;
      });
  return 1e3 / ns;
}

/// Median over blocks of 100 of the round trip, ns.
template <class Link>
double round_trip(std::uint64_t trips, Between between) {
  constexpr std::uint64_t block = 100;
  const auto out = std::make_unique<Link>();
  const auto back = std::make_unique<Link>();
  std::vector<double> ns;
  ns.reserve(trips / block);
  on_two_cores(
      between,
      [&out = *out, &back = *back, trips] {
        auto&& in = out.consumer();
        auto&& reply = back.producer();
        std::uint32_t total = 0;
        for (std::uint64_t i = 0; i < trips / block * block; ++i) {
          while (!in.receive(total)) relax();
          while (!reply.send(total)) relax();
          reply.flush();
        }
      },
      [&out = *out, &back = *back, &ns, trips] {
        auto&& send = out.producer();
        auto&& reply = back.consumer();
        std::uint32_t total = 0;
        for (std::uint64_t i = 0; i < trips / block; ++i) {
          const auto start = std::chrono::steady_clock::now();
          for (std::uint64_t j = 0; j < block; ++j) {
            while (!send.send(1)) relax();
            send.flush();
            while (!reply.receive(total)) relax();
          }
          ns.push_back(elapsed_ns(start) / block);
        }
      });
  return median(ns);
}

}  // namespace laxity::bench
