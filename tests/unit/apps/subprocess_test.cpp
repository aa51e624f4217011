#include "laxity/cli/subprocess.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

CommandWords shell(const std::string& script) { return {"sh", "-c", script}; }

class SubprocessLog : public ::testing::Test {
 protected:
  ~SubprocessLog() override { std::filesystem::remove(log_); }
  [[nodiscard]] std::string text() const {
    std::ostringstream whole;
    whole << std::ifstream(log_).rdbuf();
    return whole.str();
  }
  std::filesystem::path log_ =
      std::filesystem::temp_directory_path() / ("subprocess_test." + std::to_string(getpid()) + ".log");
};

TEST(Subprocess, ReturnsTheExitCode) { EXPECT_EQ(Subprocess(shell("exit 7")).wait(), 7); }

TEST(Subprocess, ASignalIsReportedAs128PlusItsNumber) {
  EXPECT_EQ(Subprocess(shell("kill -KILL $$")).wait(), 128 + SIGKILL);
}

TEST(Subprocess, AProgramThatDoesNotExistIsAnErrorThatNamesIt) {
  try {
    Subprocess program({"no-such-program"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no-such-program: cannot be started: No such file or directory");
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
}

TEST(Subprocess, CapturedOutputIsReadToItsEndAndErrorsAreDiscarded) {
  Subprocess program(shell("echo first; echo wrong >&2; head -c 100000 /dev/zero; echo last"),
                     {.output = Output::captured});
  const std::string text = program.read_output();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(text.size(), 100000 + std::string("first\nlast\n").size());
}

TEST(Subprocess, TheEnvironmentIsThatOfTheParentWithVariablesReplacedAndAdded) {
  ::setenv("LAXITY_TEST_KEPT", "kept", 1);
  ::setenv("LAXITY_TEST_REPLACED", "before", 1);
  Subprocess program(
      shell("echo $LAXITY_TEST_KEPT $LAXITY_TEST_REPLACED $LAXITY_TEST_ADDED"),
      {.output = Output::captured, .environment = {{"LAXITY_TEST_REPLACED", "after"}, {"LAXITY_TEST_ADDED", "added"}}});
  EXPECT_EQ(program.read_output(), "kept after added\n");
}

TEST(Subprocess, TheExitCodeIsPolledWithoutBlocking) {
  Subprocess program(shell("read line"), {.output = Output::errors_only});
  (void)program.exit_code();  // may end at once where standard input is closed
  ::kill(program.pid(), SIGKILL);
  std::optional<int> code;
  while (!code) code = program.exit_code();
  EXPECT_TRUE(*code == 128 + SIGKILL || *code == 0 || *code == 1) << *code;
}

TEST(Subprocess, AChildIsKilledWithItsOwner) {
  pid_t child = 0;
  {
    const Subprocess program({"sleep", "1000"});
    child = program.pid();
    EXPECT_EQ(::kill(child, 0), 0);
  }
  EXPECT_EQ(::kill(child, 0), -1);
}

TEST_F(SubprocessLog, BothStreamsGoToTheLogInTheirOrder) {
  const ProgramEnd end = run_logged(shell("echo first; echo second >&2; echo third; exit 3"), log_);
  EXPECT_EQ(end.code, 3);
  EXPECT_FALSE(end.interrupted);
  EXPECT_EQ(text(), "first\nsecond\nthird\n");
}

TEST_F(SubprocessLog, ALogIsReplacedOrContinued) {
  EXPECT_EQ(run_logged(shell("echo one"), log_).code, 0);
  EXPECT_EQ(run_logged(shell("echo two"), log_).code, 0);
  EXPECT_EQ(Subprocess(shell("echo three"), {.output = Output::appended_to_log, .log = log_}).wait(), 0);
  EXPECT_EQ(text(), "two\nthree\n");
}

TEST_F(SubprocessLog, AnInterruptEndsTheProgramAndNotThisProcess) {
  const std::string script =
      "trap 'echo cleaned up; exit 5' TERM; kill -INT " + std::to_string(getpid()) + "; while :; do sleep 0.01; done";
  const ProgramEnd end = run_logged(shell(script), log_);
  EXPECT_TRUE(end.interrupted);
  EXPECT_EQ(end.code, 5);
  EXPECT_EQ(text(), "cleaned up\n");
}

TEST(Subprocess, AnInterruptDuringAForegroundProgramIsLeftToTheProgram) {
  EXPECT_EQ(run_in_foreground(shell("kill -INT " + std::to_string(getpid()) + "; exit 4"), {}), 4);
}

TEST(Subprocess, ItEndsWithItsParent) {
  const pid_t parent = fork();
  if (parent == 0) {
    const Subprocess program({"sleep", "1000"});
    std::ofstream(std::filesystem::temp_directory_path() / ("subprocess_test." + std::to_string(getpid())))
        << program.pid() << std::flush;
    ::raise(SIGKILL);
  }
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  const auto note = std::filesystem::temp_directory_path() / ("subprocess_test." + std::to_string(parent));
  pid_t child = 0;
  std::ifstream(note) >> child;
  std::filesystem::remove(note);
  ASSERT_GT(child, 1);
  const auto is_running = [child] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string pid, name, state = "Z";
    stat >> pid >> name >> state;
    return state != "Z" && state != "X";
  };
  for (int tries = 0; is_running() && tries < 1000; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_running());
}

}  // namespace
}  // namespace laxity::cli
