#include "apps/laxity/program_on_ranks.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>

#include "laxity/error.hpp"
#include "laxity/launch/launcher.hpp"

namespace laxity::cli {
namespace {

std::unique_ptr<Ranks> join(const RankOptions& options) {
  try {
    return join_ranks(options);
  } catch (const Error&) {
    if (speaks_for_all()) throw;
    throw CLI::RuntimeError(1);
  }
}

}  // namespace

void run_on_ranks(const RankOptions& options, const std::function<int(Ranks*)>& program) {
  const std::unique_ptr<Ranks> ranks = join(options);
  int code = 0;
  try {
    code = program(ranks.get());
  } catch (const std::exception& error) {
    if (ranks == nullptr || !ranks->agreed_to_fail() || ranks->is_first()) throw;
    code = dynamic_cast<const UsageError*>(&error) != nullptr ? 2 : 1;
  }
  if (code != 0) throw CLI::RuntimeError(code);
}

}  // namespace laxity::cli
