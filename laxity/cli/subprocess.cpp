#include "laxity/cli/subprocess.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

// Null-terminated pointers to the words, as exec wants them.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));  // exec does not write to them
  pointers.push_back(nullptr);
  return pointers;
}

// The environment of this process with some variables replaced or added, as NAME=value.
std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.emplace_back(name).append("=").append(value);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool is_replaced = false;
    for (const auto& variable : variables) is_replaced |= text.starts_with(variable.first + '=');
    if (!is_replaced) all.push_back(text);
  }
  return all;
}

Error not_started(const std::string& program, int error_number) {
  return Error(program + ": cannot be started: " + std::strerror(error_number));
}

// A file descriptor of the parent that no other child inherits.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&& other) noexcept {
    close();
    number_ = std::exchange(other.number_, -1);
    return *this;
  }
  ~Descriptor() { close(); }
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }
  void close() noexcept {
    if (number_ != -1) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

Descriptor open_file(const std::filesystem::path& path, int flags) {
  const int number = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0644);
  if (number == -1) throw SystemError("open(" + path.string() + ")", errno);
  return Descriptor(number);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) == -1) throw SystemError("pipe2", errno);
    from = Descriptor(ends[0]);
    to = Descriptor(ends[1]);
  }
  Descriptor from, to;
};

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t bytes = ::read(descriptor, part.data(), part.size());
    if (bytes == -1 && errno == EINTR) continue;
    if (bytes <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
}

// What run_logged()'s signal handler, which can be given no argument, works on.
std::atomic<pid_t> foreground_program = 0;
std::atomic<bool> was_interrupted = false;

// Another handler for a signal while one of these exists. A signal that is ignored stays ignored.
class ScopedHandler {
 public:
  ScopedHandler(int signal, void (*handler)(int)) noexcept : signal_(signal) {
    ::sigaction(signal, nullptr, &before_);
    if (before_.sa_handler == SIG_IGN) return;
    struct sigaction action {};
    action.sa_handler = handler;
    ::sigaction(signal, &action, nullptr);
  }
  ScopedHandler(const ScopedHandler&) = delete;
  ScopedHandler& operator=(const ScopedHandler&) = delete;
  ~ScopedHandler() { ::sigaction(signal_, &before_, nullptr); }

 private:
  int signal_;
  struct sigaction before_ {};
};

void forward_as_sigterm(int) {
  was_interrupted = true;
  if (const pid_t child = foreground_program; child > 0) ::kill(child, SIGTERM);
}

// After fork() only functions that are safe in a signal handler may be called, so everything is prepared before.
[[noreturn]] void become(char* const* words, char* const* environment, int output, int errors, int report) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (output != -1) ::dup2(output, STDOUT_FILENO);
  if (errors != -1) ::dup2(errors, STDERR_FILENO);
  ::execvpe(words[0], words, environment);
  const int error_number = errno;
  const ssize_t written = ::write(report, &error_number, sizeof error_number);
  ::_exit(written == sizeof error_number ? 127 : 126);
}

}  // namespace

Subprocess::Subprocess(const CommandWords& command, const SubprocessOptions& options) {
  Descriptor output, errors;
  std::optional<Pipe> captured;
  switch (options.output) {
    case Output::inherited:
      break;
    case Output::errors_only:
      output = open_file("/dev/null", 0);
      break;
    case Output::captured:
      captured.emplace();
      output = Descriptor(captured->to.release());
      errors = open_file("/dev/null", 0);
      break;
    case Output::written_to_log:
      output = open_file(options.log, O_CREAT | O_TRUNC | O_APPEND);
      errors = open_file(options.log, O_APPEND);
      break;
    case Output::appended_to_log:
      output = open_file(options.log, O_CREAT | O_APPEND);
      errors = open_file(options.log, O_APPEND);
      break;
  }
  const std::vector<std::string> variables = environment_with(options.environment);
  const std::vector<char*> words = pointers_to(command), environment = pointers_to(variables);
  Pipe report;  // exec closes it; what comes out of it is the error number of an exec that failed
  pid_ = ::fork();
  if (pid_ == -1) throw SystemError("fork", errno);
  if (pid_ == 0) become(words.data(), environment.data(), output.get(), errors.get(), report.to.get());
  report.to.close();
  if (const std::string failure = read_all(report.from.get()); !failure.empty()) {
    reap(0);
    int error_number = 0;
    std::memcpy(&error_number, failure.data(), sizeof error_number);
    throw not_started(command.front(), error_number);
  }
  if (captured) output_ = captured->from.release();
}

Subprocess::~Subprocess() {
  if (output_ != -1) ::close(output_);
  if (code_) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) == -1 && errno == EINTR) {
  }
}

std::string Subprocess::read_output() { return read_all(output_); }

std::optional<int> Subprocess::exit_code() {
  if (!code_) reap(WNOHANG);
  return code_;
}

int Subprocess::wait() {
  if (!code_) reap(0);
  return *code_;
}

void Subprocess::reap(int options) {
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(pid_, &status, options);
  } while (reaped == -1 && errno == EINTR);
  if (reaped == -1) throw SystemError("waitpid", errno);
  if (reaped == pid_) code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ProgramEnd run_logged(const CommandWords& command, const std::filesystem::path& log) {
  const ScopedHandler on_interrupt(SIGINT, forward_as_sigterm), on_termination(SIGTERM, forward_as_sigterm);
  Subprocess program(command, {.output = Output::written_to_log, .log = log});
  foreground_program = program.pid();
  if (was_interrupted) ::kill(program.pid(), SIGTERM);  // the signal came before the handler knew the program
  const int code = program.wait();
  foreground_program = 0;
  return {code, was_interrupted};
}

int run_in_foreground(const CommandWords& command, const Variables& environment) {
  const ScopedHandler on_interrupt(SIGINT, [](int) {});
  return Subprocess(command, {.environment = environment}).wait();
}

void replace_this_process(const CommandWords& command) {
  ::execvp(command.front().c_str(), pointers_to(command).data());
  throw not_started(command.front(), errno);
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace laxity::cli
