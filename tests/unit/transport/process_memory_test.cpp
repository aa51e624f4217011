// Reading the memory of another process: pieces are copied in order, and failures are reported.
#include "laxity/transport/process_memory.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "laxity/error.hpp"

namespace laxity {
namespace {

TEST(ProcessMemory, OfAnotherProcessIsReadPieceByPiece) {
  std::array<int, 6> numbers = {1, 2, 3, 4, 5, 6};
  const pid_t child = fork();
  if (child == 0) {
    for (int& number : numbers) number *= 10;  // in its own copy
    raise(SIGSTOP);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, WUNTRACED), child);
  int first = 0;
  std::array<int, 3> others{};
  const iovec into[] = {{&first, sizeof first}, {others.data(), sizeof others}};
  const iovec from[] = {{&numbers[4], 2 * sizeof(int)}, {numbers.data(), 2 * sizeof(int)}};
  EXPECT_TRUE(read_process_memory(child, into, from));
  EXPECT_EQ(first, 50);
  EXPECT_EQ(others, (std::array{60, 10, 20}));

  const iovec nowhere[] = {{numbers.data(), 8}, {nullptr, 8}};
  try {
    static_cast<void>(read_process_memory(child, into, nowhere));
    FAIL() << "no error";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.error_number(), EFAULT);
    EXPECT_NE(std::string(error.what()).find("16 bytes of process " + std::to_string(child)), std::string::npos);
  }
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(read_process_memory(child, into, from)) << "it is gone";
}

}  // namespace
}  // namespace laxity
