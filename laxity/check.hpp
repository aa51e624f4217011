// Assertions for bugs of the library. LAXITY_CHECK is always tested and aborts; LAXITY_DCHECK only without NDEBUG.
//
// Threads: any. Elsewhere: failures of the environment (error.hpp).
#pragma once

namespace laxity::detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;
}  // namespace laxity::detail

#define LAXITY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::laxity::detail::check_failed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define LAXITY_DCHECK(condition) static_cast<void>(0)
#else
#define LAXITY_DCHECK(condition) LAXITY_CHECK(condition)
#endif
