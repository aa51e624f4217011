# Writes ${output}, a source file that knows which commit of ${source_dir} is built; touches it only if that has changed.
# Run at every build, because a commit changes nothing that CMake watches.
execute_process(COMMAND git -C ${source_dir} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(commit "")
if(top STREQUAL source_dir)  # not the repository of a program that has laxity as a sub-folder
  execute_process(COMMAND git -C ${source_dir} rev-parse HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND git -C ${source_dir} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(commit AND changes)
    string(APPEND commit "-dirty")
  endif()
endif()
file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[
#include "laxity/metrics/detail/build_facts.hpp"

const char* laxity::detail::git_commit() noexcept { return "@commit@"; }
]])
