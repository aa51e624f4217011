// laxity clean: removes shared memory that ended runs left in /dev/shm. Segments of live runs are not touched.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity::cli {
namespace {

void clean(bool dry_run) {
  auto stale = dry_run ? list_named_segments() : remove_stale_segments();
  if (dry_run) std::erase_if(stale, [](const NamedSegment& segment) { return !segment.owner_is_gone; });
  std::size_t bytes = 0;
  for (const auto& segment : stale) {
    bytes += segment.bytes;
    fmt::print("{} {}: {} bytes, left by process {}\n", dry_run ? "would remove" : "removed", segment.name,
               segment.bytes, segment.owner);
  }
  if (stale.empty()) {
    fmt::print("nothing to clean: ended runs left no shared memory\n");
  } else {
    fmt::print("{} {} segments, {} bytes\n", dry_run ? "would remove" : "removed", stale.size(), bytes);
  }
}

}  // namespace

void add_clean(Command& app, int, const char* const*) {
  auto* command = app.add_subcommand("clean", "Remove shared memory that ended runs left; live runs are not touched");
  auto dry_run = std::make_shared<bool>(false);
  command->add_flag("--dry-run", *dry_run, "Only print what would be removed");
  command->footer("Example:\n  laxity clean --dry-run\n");
  command->callback([dry_run] { clean(*dry_run); });
}

}  // namespace laxity::cli
