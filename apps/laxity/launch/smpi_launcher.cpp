#include "apps/laxity/launch/smpi_launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <utility>

#include "laxity/cli/subprocess.hpp"
#include "laxity/collective/collective.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"

namespace laxity::cli {
namespace {

constexpr const char* platform_file = "platform.xml";
constexpr const char* hosts_file = "hosts";
constexpr const char* settings_file = "settings.json";
constexpr const char* log_file = "simulator.log";

// Computing takes the time that a program asks for, and testing a request takes none (ranks that test again yield).
constexpr auto common_options = {"--cfg=smpi/simulate-computation:no", "--cfg=smpi/test:0", "--cfg=smpi/iprobe:0",
                                 "--cfg=smpi/grow-injected-times:no", "--cfg=smpi/host-speed:1Gf"};

bool is_in_path(const char* name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + '/' + name).c_str(), X_OK) == 0) return true;
  return false;
}

std::string path_of(const std::string& program) {
  const char* chosen = std::getenv(("LAXITY_" + collective::upper_case(program)).c_str());
  return chosen != nullptr ? chosen : LAXITY_SMPI_PROGRAMS "/" + program;
}

std::string first_complaint(const std::filesystem::path& log) {
  std::ifstream file(log);
  for (std::string line; std::getline(file, line);)
    if (line.find("/INFO]") == std::string::npos) return line;
  return "its log is empty";
}

std::string text_of(const SmpiPlatform& platform, int ranks) {
  return fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="hosts" prefix="host" suffix="" radical="0-{}" core="{}" speed="1Gf" bw="{}Gbps" lat="{}us"
           loopback_bw="{}Gbps" loopback_lat="{}us"/>
</platform>
)",
                     (ranks - 1) / platform.ranks_per_host, platform.ranks_per_host, platform.bandwidth_gbps,
                     platform.latency_s * 1e6, platform.memory_bandwidth_gbps, platform.memory_latency_s * 1e6);
}

}  // namespace

SmpiLauncher::SmpiLauncher(std::filesystem::path folder, const std::string& program,
                           const std::vector<std::string>& options)
    : folder_(std::move(folder)), program_(path_of(program)), command_{"smpirun"} {
  if (!is_in_path("smpirun"))
    throw Error(
        "SimGrid is missing: install libsimgrid-dev (Debian) or simgrid (conda), then build the target smpi_ranks");
  if (access(program_.c_str(), X_OK) != 0)
    throw Error(program_ + " is not there; build it: cmake --build <build folder> --target smpi_ranks");
  command_.insert(command_.end(), common_options.begin(), common_options.end());
  command_.insert(command_.end(), options.begin(), options.end());
  std::filesystem::create_directories(folder_);
}

std::filesystem::path SmpiLauncher::result_file() const { return folder_ / "result"; }

bool SmpiLauncher::run(int ranks, const SmpiPlatform& platform, const std::string& settings) const {
  std::string hosts;
  for (int rank = 0; rank < ranks; ++rank) hosts += fmt::format("host{}\n", rank / platform.ranks_per_host);
  replace_file(folder_ / hosts_file, hosts);
  replace_file(folder_ / platform_file, text_of(platform, ranks));
  replace_file(folder_ / settings_file, settings);
  std::vector<std::string> words = command_;
  words.insert(words.end(), {"-np", std::to_string(ranks), "-platform", (folder_ / platform_file).string(), "-hostfile",
                             (folder_ / hosts_file).string(), program_, (folder_ / settings_file).string()});
  const std::filesystem::path log = folder_ / log_file;
  std::filesystem::remove(result_file());
  const auto [code, interrupted] = run_logged(words, log);
  if (interrupted) return false;
  if (code != 0 || !std::filesystem::exists(result_file()))  // a deadlock ends with code 0
    throw Error(
        fmt::format("the simulator ended with code {}: {} (all of it: {})", code, first_complaint(log), log.string()));
  return true;
}

}  // namespace laxity::cli
