// A mutex in shared memory that survives the death of its owner.
//
// Threads: any thread of any process that maps the memory.
#pragma once

#include <pthread.h>

#include <cerrno>

#include "laxity/check.hpp"

namespace laxity::detail {

/// Constructed once in memory that processes share; never destroyed, since the memory is released as a whole.
class RobustMutex {
 public:
  RobustMutex() noexcept {
    pthread_mutexattr_t attributes;
    LAXITY_CHECK(::pthread_mutexattr_init(&attributes) == 0);
    LAXITY_CHECK(::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) == 0);
    LAXITY_CHECK(::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST) == 0);
    LAXITY_CHECK(::pthread_mutex_init(&mutex_, &attributes) == 0);
    ::pthread_mutexattr_destroy(&attributes);
  }
  RobustMutex(const RobustMutex&) = delete;
  RobustMutex& operator=(const RobustMutex&) = delete;

  /// After the death of an owner the caller is responsible for the consistency of the data.
  void lock() noexcept { LAXITY_CHECK(took(::pthread_mutex_lock(&mutex_))); }
  [[nodiscard]] bool try_lock() noexcept {
    const int result = ::pthread_mutex_trylock(&mutex_);
    LAXITY_CHECK(result == EBUSY || result == 0 || result == EOWNERDEAD);
    return took(result);
  }
  void unlock() noexcept { LAXITY_CHECK(::pthread_mutex_unlock(&mutex_) == 0); }

 private:
  bool took(int result) noexcept {
    if (result == EOWNERDEAD) return ::pthread_mutex_consistent(&mutex_) == 0;
    return result == 0;
  }

  pthread_mutex_t mutex_;
};

}  // namespace laxity::detail
