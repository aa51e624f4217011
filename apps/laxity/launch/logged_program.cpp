#include "apps/laxity/launch/logged_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

std::atomic<pid_t> program = 0;
std::atomic<bool> interrupted = false;

/// While one exists, Ctrl-C and SIGTERM end the program and not this one.
class SignalsToProgram {
 public:
  SignalsToProgram() noexcept {
    struct sigaction pass_on {};
    pass_on.sa_handler = [](int) {
      interrupted = true;
      if (const pid_t child = program; child > 0) kill(child, SIGTERM);
    };
    sigaction(SIGINT, &pass_on, &before_int_);
    sigaction(SIGTERM, &pass_on, &before_term_);
  }
  SignalsToProgram(const SignalsToProgram&) = delete;
  SignalsToProgram& operator=(const SignalsToProgram&) = delete;
  ~SignalsToProgram() {
    program = 0;
    sigaction(SIGINT, &before_int_, nullptr);
    sigaction(SIGTERM, &before_term_, nullptr);
  }

 private:
  struct sigaction before_int_, before_term_;
};

}  // namespace

ProgramEnd run_logged(std::vector<std::string> words, const std::filesystem::path& log) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (output == -1) throw SystemError("open " + log.string(), errno);
  const SignalsToProgram signals;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  close(output);
  if (child == -1) throw SystemError("fork", errno);
  program = child;
  if (interrupted) kill(child, SIGTERM);  // it came before the handler knew whom to tell
  int status = 0;
  while (waitpid(child, &status, 0) == -1)
    if (errno != EINTR) throw SystemError("waitpid", errno);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), interrupted};
}

}  // namespace laxity::cli
