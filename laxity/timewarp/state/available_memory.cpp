#include "laxity/timewarp/state/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace laxity::timewarp {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// The number in a file; unlimited if there is none, as in "max".
std::size_t limit_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::size_t limit = 0;
  return in >> limit ? limit : unlimited;
}

// The lowest limit of a cgroup and of those around it. A container may see only the outermost of them.
std::size_t limit_of(const std::filesystem::path& mount, std::filesystem::path group, const char* file) {
  std::size_t limit = limit_in(mount / file);
  for (; group.has_relative_path(); group = group.parent_path())
    limit = std::min(limit, limit_in(mount / group.relative_path() / file));
  return limit;
}

std::size_t available_on_host(const std::filesystem::path& root) {
  std::ifstream lines(root / "proc/meminfo");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::size_t kib = 0;
    if (words >> name >> kib && name == "MemAvailable:") return kib * 1024;
  }
  return unlimited;
}

}  // namespace

std::size_t available_memory(const std::filesystem::path& root) {
  std::size_t bytes = available_on_host(root);
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/path", of version 2 "0::/path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_version_2 = controllers.empty();
    const std::filesystem::path path = line.substr(second + 1);
    const std::filesystem::path mount = root / "sys/fs/cgroup";
    if (is_version_2) bytes = std::min(bytes, limit_of(mount, path, "memory.max"));
    if (controllers.find("memory") != std::string::npos)
      bytes = std::min(bytes, limit_of(mount / "memory", path, "memory.limit_in_bytes"));
  }
  return bytes;
}

std::size_t memory_or_default(std::size_t given) { return given != 0 ? given : available_memory() / 4 * 3; }

}  // namespace laxity::timewarp
