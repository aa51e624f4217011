// Assertions for our own bugs. LAXITY_CHECK always tests and aborts; LAXITY_DCHECK only in builds without NDEBUG.
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
