#include "apps/laxity/launch/program_on_ranks.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/laxity/cli/command.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"

namespace laxity::cli {
namespace {

// Of what was thrown: every rank alike, before they had joined, or agreed on; then one tells. Or by this one alone.
bool is_mine_to_tell(const Ranks* ranks) {
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
    if (ranks != nullptr && ranks->has_lost_a_rank()) {  // nobody is left to agree with
      fmt::print(stderr, "laxity: {}\n", error.what());
      ranks->abort(1);
    }
    if (is_mine_to_tell(ranks.get())) throw;
  }
  if (code != 0 && (ranks == nullptr || ranks->is_first())) throw Exit{code};
}

}  // namespace laxity::cli
