#include "laxity/trace/detail/preload/agreement.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "laxity/clock/clock.hpp"

namespace laxity::trace::preload {
namespace {

constexpr const char* decision_name = "decision";
constexpr std::string_view all_take_part = "all ";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The word after the long option in the null-separated command line of a process; empty if there is none.
std::string option_of(const std::string& command_line, const std::string& option) {
  const std::string sought = std::string(1, '\0') + "--" + option + '\0';
  const std::size_t at = command_line.find(sought);
  return at == std::string::npos ? "" : command_line.c_str() + at + sought.size();
}

// MPICH's launcher passes no name of the job, but it holds the other end of the socket PMI_FD. Its command line names
// the address of mpiexec, the same on all hosts, and the number of the group of processes.
std::string hydra_key() {
  const std::string descriptor = variable("PMI_FD");
  if (descriptor.empty()) return {};
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(std::atoi(descriptor.c_str()), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0)
    return {};
  const std::string command_line = content_of("/proc/" + std::to_string(peer.pid) + "/cmdline");
  const std::string address = option_of(command_line, "control-port");
  return address.empty() ? "" : address + " " + option_of(command_line, "pgid");
}

// The parent of this process, while this host runs.
std::string parent_key() {
  const std::string parent = std::to_string(::getppid());
  const std::string status = content_of("/proc/" + parent + "/stat");
  std::size_t at = status.rfind(')');  // the name before it may contain anything
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = status.find(' ', at + 1);  // its start time
  return content_of("/proc/sys/kernel/random/boot_id") + parent +
         (at != std::string::npos ? status.substr(at, status.find(' ', at + 1) - at) : "");
}

std::string as_hexadecimal(std::uint64_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
  return text.data();
}

// FNV-1a.
std::uint64_t hash(std::string_view text) noexcept {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const char letter : text) sum = (sum ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  return sum;
}

std::uint64_t new_job() noexcept {
  return static_cast<std::uint64_t>(wall_clock_ns()) ^ (static_cast<std::uint64_t>(::getpid()) << 44);
}

// The folder of a meeting, seen by one process.
class Meeting {
 public:
  explicit Meeting(std::string folder) : folder_(std::move(folder)), decision_(folder_ + "/" + decision_name) {
    ::mkdir(folder_.c_str(), 0755);
  }

  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }

  [[nodiscard]] bool register_rank(std::uint32_t rank) const {
    const int file =
        ::open((folder_ + "/" + std::to_string(rank)).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0) ::close(file);
    return file >= 0;
  }

  // The number of registered ranks.
  [[nodiscard]] std::uint32_t registered() const {
    std::uint32_t count = 0;
    DIR* folder = ::opendir(folder_.c_str());
    if (folder == nullptr) return 0;
    while (const dirent* entry = ::readdir(folder)) count += entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? 1 : 0;
    ::closedir(folder);
    return count;
  }

  // Empty if there is none yet.
  [[nodiscard]] std::string decision() const {
    // Opening the folder makes network file systems ask their server for what is new.
    if (const int opened = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); opened >= 0) ::close(opened);
    std::array<char, 64> text{};
    const ssize_t size = ::readlink(decision_.c_str(), text.data(), text.size());
    return {text.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  }

  // The decision, which is this proposal if it is the first. Empty if the folder cannot be written.
  [[nodiscard]] std::string propose(const std::string& proposal) const {
    return ::symlink(proposal.c_str(), decision_.c_str()) == 0 ? proposal : decision();
  }

 private:
  std::string folder_, decision_;
};

std::string disagreement() { return "some " + as_hexadecimal(new_job()); }

std::string decide(const Meeting& meeting, const Participant& self, std::int64_t patience_ns) {
  const SteadyClock clock;
  const std::int64_t deadline_ns = clock.now_ns() + patience_ns;
  for (long pause_ns = 100'000;; pause_ns = std::min(2 * pause_ns, 20'000'000L)) {
    if (self.rank == 0 && meeting.registered() == self.size) {
      return meeting.propose(std::string(all_take_part) + as_hexadecimal(new_job()));
    }
    if (std::string decision = meeting.decision(); !decision.empty()) return decision;
    if (clock.now_ns() >= deadline_ns) return meeting.propose(disagreement());
    const timespec pause{.tv_sec = 0, .tv_nsec = pause_ns};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace

std::string job_key() {
  if (const std::string name = variable("PMIX_NAMESPACE"); !name.empty()) {
    // Open MPI 4 makes this number at random for each job; its namespaces are numbers that occur again.
    return "pmix " + name + " " + variable("OMPI_MCA_orte_precondition_transports");
  }
  if (const std::string name = hydra_key(); !name.empty()) return "hydra " + name;
  if (const std::string name = variable("SLURM_STEP_ID"); !name.empty()) {
    return "slurm " + variable("SLURM_JOB_ID") + " " + name;
  }
  return "parent " + parent_key();
}

Agreement agree(const std::string& directory, const Participant& self, std::int64_t patience_ns) {
  if (self.size == 1) return {.job = new_job(), .all = self.is_able, .folder = {}};
  const std::string name = as_hexadecimal(hash(self.key + " " + std::to_string(self.size)));
  const Meeting meeting(directory + "/.job-" + name);
  std::string decision;
  if (!self.is_able) {
    decision = meeting.propose(disagreement());
  } else if (meeting.register_rank(self.rank)) {
    decision = decide(meeting, self, patience_ns);
  } else {  // The folder cannot be written, or belongs to an earlier job of the same key, whose decision is not ours.
    static_cast<void>(meeting.propose(disagreement()));
  }
  if (decision.empty()) return {.job = new_job(), .all = false, .folder = {}};
  return {.job = std::strtoull(decision.c_str() + decision.find(' '), nullptr, 16),
          .all = decision.starts_with(all_take_part),
          .folder = meeting.folder()};
}

void remove_meeting(const Agreement& agreement, std::uint32_t size) {
  if (agreement.folder.empty()) return;
  for (std::uint32_t rank = 0; rank < size; ++rank) ::unlink((agreement.folder + "/" + std::to_string(rank)).c_str());
  ::unlink((agreement.folder + "/" + decision_name).c_str());
  ::rmdir(agreement.folder.c_str());
}

}  // namespace laxity::trace::preload
