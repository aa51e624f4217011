#include "laxity/trace/analysis/site_names.hpp"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

namespace laxity::trace {
namespace {

constexpr std::size_t max_addresses = 500;  // of one addr2line, far from the limit of a command line

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

std::string fallback_name(const CallSite& site) {
  if (!site.symbol.empty()) return site.symbol;
  return std::string(file_name(site.object)) + "+" + hexadecimal(site.offset);
}

// What is added to an offset to get the address that the object file itself uses: 0, except in programs with a fixed
// position. Empty if this is no object file of 64 bits.
std::optional<std::uint64_t> first_address(const std::string& object) {
  std::ifstream file(object, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  const auto* identity = reinterpret_cast<const char*>(header.e_ident);
  if (!file || std::string_view(identity, SELFMAG) != ELFMAG || identity[EI_CLASS] != ELFCLASS64) return std::nullopt;
  if (header.e_type != ET_EXEC) return 0;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * header.e_phentsize));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (file && segment.p_type == PT_LOAD) return segment.p_vaddr - segment.p_offset;
  }
  return std::nullopt;
}

// The standard output of a command; empty if it cannot be started.
std::string output_of(const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));  // NOLINT: not written
  arguments.push_back(nullptr);
  pid_t child = 0;
  const bool started = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(ends[0], part.data(), part.size())) > 0;) {
    output.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  int status = 0;
  if (started) ::waitpid(child, &status, 0);
  return output;
}

// "transpose (fft.cpp:120)"; empty if addr2line knows no function.
std::string joined_name(const std::string& function, const std::string& place) {
  if (function.empty() || function == "??") return {};
  const std::string line(file_name(place.substr(0, place.find(' '))));  // without a discriminator
  const bool is_known = line.find("??") == std::string::npos && !line.ends_with(":0") && !line.ends_with(":?");
  return is_known && !line.empty() ? function + " (" + line + ")" : function;
}

// Looks up call sites of one object file.
void look_up(const std::string& object, std::uint64_t first, std::span<const CallSite> sites,
             std::span<const std::size_t> which, std::vector<std::string>& names) {
  std::vector<std::string> command{"addr2line", "-C", "-f", "-e", object};
  // The byte before the return address belongs to the call, the return address perhaps to the next line.
  for (const std::size_t i : which) command.push_back(hexadecimal(first + sites[i].offset - 1));
  std::istringstream lines(output_of(command));
  std::string function;
  std::string place;
  for (const std::size_t i : which) {
    if (!std::getline(lines, function) || !std::getline(lines, place)) return;
    if (std::string name = joined_name(function, place); !name.empty()) names[i] = std::move(name);
  }
}

}  // namespace

std::vector<std::string> site_names(std::span<const CallSite> sites) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::size_t>> by_object;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    names.push_back(fallback_name(sites[i]));
    by_object[sites[i].object].push_back(i);
  }
  for (const auto& [object, all] : by_object) {
    const auto first = first_address(object);
    if (!first) continue;
    for (std::span<const std::size_t> rest(all); !rest.empty();) {
      const auto which = rest.first(std::min(rest.size(), max_addresses));
      look_up(object, *first, sites, which, names);
      rest = rest.subspan(which.size());
    }
  }
  return names;
}

}  // namespace laxity::trace
