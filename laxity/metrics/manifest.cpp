#include "laxity/metrics/manifest.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>

#include "laxity/metrics/detail/build_facts.hpp"

namespace laxity {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

// As one would type it: words with anything but plain letters stand in single quotes.
std::string shell_words(int argc, const char* const* argv) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=,:+@%";
  std::string line;
  for (int word = 0; word < argc; ++word) {
    const std::string_view text = argv[word];
    if (word > 0) line += ' ';
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
      line += text;
      continue;
    }
    line += '\'';
    for (const char letter : text) {
      if (letter == '\'')
        line += "'\\''";
      else
        line += letter;
    }
    line += '\'';
  }
  return line;
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

Manifest manifest_of_this_machine(std::string kind, std::string name, int argc, const char* const* argv) {
  utsname system{};
  uname(&system);
  Manifest manifest;
  manifest.kind = std::move(kind);
  manifest.name = std::move(name);
  manifest.command_line = shell_words(argc, argv);
  manifest.versions = {{"laxity", detail::version},
                       {"compiler", detail::compiler},
                       {"kernel", std::string(system.sysname) + ' ' + system.release}};
  manifest.git_commit = detail::git_commit();
  manifest.host = system.nodename;
  manifest.cpu_model = cpu_model();
  manifest.cores = static_cast<int>(std::thread::hardware_concurrency());
  manifest.start = utc_now();
  return manifest;
}

}  // namespace laxity
