#include "laxity/cli/program_on_ranks.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "laxity/cli/command.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"

namespace laxity::cli {
namespace {

// Whether this rank reports an error. Errors before the ranks have joined, and those that they agreed on, occur on every
// rank and are reported by one; any other error is reported by the rank on which it occurs.
bool reports_error(const Ranks* ranks) {
  if (ranks == nullptr) return is_reporting_rank();
  return !ranks->agreed_to_fail() || ranks->is_first();
}

}  // namespace

void run_on_ranks(const RankOptions& options, const std::function<int(Ranks*)>& program) {
  std::unique_ptr<Ranks> ranks;
  int code = 0;
  try {
    ranks = join_ranks(options);
    code = program(ranks.get());
  } catch (const Error& error) {
    if (ranks != nullptr && ranks->has_lost_a_rank()) {  // no agreement with a lost rank
      fmt::print(stderr, "laxity: {}\n", error.what());
      ranks->abort(1);
    }
    if (reports_error(ranks.get())) throw;
  }
  if (code != 0 && (ranks == nullptr || ranks->is_first())) throw Exit{code};
}

}  // namespace laxity::cli
