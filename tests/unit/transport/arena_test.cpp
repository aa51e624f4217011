#include "laxity/transport/arena.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "laxity/error.hpp"

namespace laxity {
namespace {

void do_nothing(std::byte*) {}

TEST(BlockKey, PrintsWhatItNames) {
  EXPECT_EQ(BlockKey("ring", 0, 1, 7).text(), "ring(0, 1, 7)");
  EXPECT_THROW(BlockKey(""), UsageError);
  EXPECT_THROW(BlockKey("a-kind-too-long-for-it"), UsageError);
}

TEST(Arena, GivesTheSameBlockForTheSameKeyAndInitializesItOnce) {
  Arena arena(Segment::private_memory(1 << 16), 10);
  int initialized = 0;
  const auto count = [&](std::byte*) { ++initialized; };
  std::byte* first = arena.find_or_create(BlockKey("a", 1), 100, count);
  EXPECT_EQ(arena.find_or_create(BlockKey("a", 1), 100, count), first);
  EXPECT_EQ(initialized, 1);
  EXPECT_NE(arena.find_or_create(BlockKey("a", 2), 100, count), first);
  EXPECT_NE(arena.find_or_create(BlockKey("b", 1), 100, count), first);
  EXPECT_EQ(arena.blocks(), 3u);
}

TEST(Arena, BlocksAreAlignedZeroedAndApart) {
  Arena arena(Segment::private_memory(1 << 22), 100);
  std::byte* previous_end = nullptr;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{65}, std::size_t{70'001}, std::size_t{64}, std::size_t{200'000}}) {
    std::byte* block = arena.find_or_create(BlockKey("b", static_cast<std::uint32_t>(bytes)), bytes, do_nothing);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (bytes > Arena::large_block ? 4096 : 64), 0u);
    EXPECT_GE(block, previous_end);
    for (std::size_t at = 0; at < bytes; ++at) ASSERT_EQ(block[at], std::byte{0});
    std::memset(block, 0xff, bytes);
    previous_end = block + bytes;
  }
}

TEST(Arena, RefusesAnotherSizeNamingTheKey) {
  Arena arena(Segment::private_memory(1 << 16), 10);
  arena.find_or_create(BlockKey("ring", 3, 4), 100, do_nothing);
  try {
    arena.find_or_create(BlockKey("ring", 3, 4), 101, do_nothing);
    FAIL() << "accepted another size";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("ring(3, 4, 0)"), std::string::npos);
  }
}

TEST(Arena, SaysThatItIsFull) {
  EXPECT_THROW(Arena(Segment::private_memory(1000), 1000), UsageError);
  Arena few(Segment::private_memory(1 << 16), 2);
  few.find_or_create(BlockKey("a"), 1, do_nothing);
  few.find_or_create(BlockKey("b"), 1, do_nothing);
  EXPECT_THROW(few.find_or_create(BlockKey("c"), 1, do_nothing), UsageError);
  Arena small(Segment::private_memory(1 << 14), 2);
  EXPECT_THROW(small.find_or_create(BlockKey("a"), 1 << 14, do_nothing), UsageError);
  EXPECT_THROW(small.find_or_create(BlockKey("a"), ~std::size_t{0} - 100, do_nothing), UsageError);
  EXPECT_NO_THROW(small.find_or_create(BlockKey("a"), 64, do_nothing));
}

TEST(Arena, HoldsAsManyBlocksAsItWasMadeFor) {
  constexpr std::uint32_t blocks = 100'000;
  Arena arena(Segment::private_memory(Arena::bytes_needed(blocks, blocks * std::size_t{100})), blocks);
  for (std::uint32_t number = 0; number < blocks; ++number) {
    std::byte* block = arena.find_or_create(BlockKey("ring", number / 317, number % 317), 100, do_nothing);
    std::memcpy(block, &number, sizeof number);
  }
  for (std::uint32_t number = 0; number < blocks; ++number) {
    const std::byte* block = arena.find_or_create(BlockKey("ring", number / 317, number % 317), 100, do_nothing);
    ASSERT_EQ(std::memcmp(block, &number, sizeof number), 0);
  }
}

TEST(Arena, AnInitializerThatThrewIsRunAgainOnZeros) {
  Arena arena(Segment::private_memory(1 << 16), 10);
  const auto fail = [](std::byte* block) {
    block[5] = std::byte{1};
    throw std::runtime_error("no");
  };
  EXPECT_THROW(arena.find_or_create(BlockKey("a"), 100, fail), std::runtime_error);
  std::byte* block = arena.find_or_create(BlockKey("a"), 100, [](std::byte* memory) { memory[6] = std::byte{2}; });
  EXPECT_EQ(block[5], std::byte{0});
  EXPECT_EQ(block[6], std::byte{2});
}

TEST(Arena, ObjectsAreConstructedOnceForAllThreads) {
  Arena arena(Segment::private_memory(1 << 20), 1000);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (std::uint32_t number = 0; number < 500; ++number) {
        arena.object<std::atomic<int>>(BlockKey("count", number)).fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t number = 0; number < 500; ++number) {
    EXPECT_EQ(arena.object<std::atomic<int>>(BlockKey("count", number)).load(), 4);
  }
}

TEST(Arena, ForkedProcessesMeet) {
  Arena arena(Segment::shared(1 << 20), 100);
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      for (std::uint32_t number = 0; number < 100; ++number) {
        arena.object<std::atomic<int>>(BlockKey("count", number)).fetch_add(1);
      }
      ::_exit(0);
    }
    children.push_back(pid);
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  for (std::uint32_t number = 0; number < 100; ++number) {
    ASSERT_EQ(arena.object<std::atomic<int>>(BlockKey("count", number)).load(), 3);
  }
}

TEST(Arena, AnInitializerThatWasKilledIsRunAgainOnZeros) {
  Arena arena(Segment::shared(1 << 20), 100);
  const pid_t child = ::fork();
  if (child == 0) {
    arena.find_or_create(BlockKey("a"), 100, [](std::byte* block) {
      block[5] = std::byte{1};
      ::kill(::getpid(), SIGKILL);
    });
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  std::byte* block = arena.find_or_create(BlockKey("a"), 100, [](std::byte* memory) { memory[6] = std::byte{2}; });
  EXPECT_EQ(block[5], std::byte{0});
  EXPECT_EQ(block[6], std::byte{2});
}

TEST(Arena, DoesNotWaitForEverForAStoppedInitializer) {
  Arena arena(Segment::private_memory(1 << 20), 100);
  std::atomic<bool> inside{false};
  std::atomic<bool> may_end{false};
  std::thread slow([&] {
    arena.find_or_create(BlockKey("slow"), 100, [&](std::byte*) {
      inside = true;
      while (!may_end) std::this_thread::yield();
    });
  });
  while (!inside) std::this_thread::yield();
  EXPECT_THROW(arena.find_or_create(BlockKey("other"), 1, do_nothing, std::chrono::milliseconds(1)), Error);
  may_end = true;
  slow.join();
  EXPECT_NO_THROW(arena.find_or_create(BlockKey("other"), 1, do_nothing));
}

}  // namespace
}  // namespace laxity
