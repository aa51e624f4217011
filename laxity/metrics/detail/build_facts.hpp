// What this build of laxity is. Not a public header.
#pragma once

#include "laxity/version.hpp"

namespace laxity::detail {

inline constexpr const char* version = LAXITY_VERSION;
inline constexpr const char* compiler = LAXITY_COMPILER;

/// The commit that was built, with "-dirty" if files had changed; empty if built outside a repository.
[[nodiscard]] const char* git_commit() noexcept;

}  // namespace laxity::detail
