#include "laxity/transport/segment.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "laxity/error.hpp"

namespace laxity {
namespace {

std::string unique_name(const std::string& what) { return "test-" + std::to_string(::getpid()) + "-" + what; }

bool is_listed(const std::string& name) {
  const auto found = list_named_segments();
  return std::any_of(found.begin(), found.end(), [&](const NamedSegment& segment) { return segment.name == name; });
}

/// Runs `body` in a forked process and returns its exit status.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = body();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Segment, StartsAsZerosOnAPage) {
  for (const Segment& segment : {Segment::private_memory(5000), Segment::shared(5000)}) {
    EXPECT_EQ(segment.size(), 5000u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(segment.data()) % 4096, 0u);
    EXPECT_TRUE(std::all_of(segment.data(), segment.data() + 5000, [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(Segment, MayBeReservedLargerThanMemory) {
  const Segment segment = Segment::shared(std::size_t{1} << 38);
  segment.data()[std::size_t{1} << 37] = std::byte{1};
  EXPECT_EQ(segment.data()[std::size_t{1} << 37], std::byte{1});
}

TEST(Segment, SharedMemoryIsSeenByForkedProcessesAndPrivateIsNot) {
  const Segment shared = Segment::shared(64);
  const Segment own = Segment::private_memory(64);
  ASSERT_EQ(in_child([&] {
              shared.data()[3] = own.data()[3] = std::byte{9};
              return 0;
            }),
            0);
  EXPECT_EQ(shared.data()[3], std::byte{9});
  EXPECT_EQ(own.data()[3], std::byte{0});
}

// A process whose memfd_create fails, as in old kernels and strict sandboxes.
TEST(Segment, DoesWithoutMemfd) {
  EXPECT_EQ(in_child([] {
              sock_filter program[] = {
                  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
              };
              const sock_fprog filter{4, program};
              if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 1;
              if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 2;
              const Segment segment = Segment::shared(4096);
              return in_child([&] {
                       segment.data()[7] = std::byte{1};
                       return 0;
                     }) == 0 &&
                             segment.data()[7] == std::byte{1}
                         ? 0
                         : 3;
            }),
            0);
}

TEST(Segment, MovesAndGivesUpWhatItHeld) {
  const std::string name = unique_name("move");
  Segment first = Segment::create_named(name, 64);
  Segment second = std::move(first);
  EXPECT_EQ(first.data(), nullptr);
  EXPECT_TRUE(is_listed(name));
  second = Segment();
  EXPECT_FALSE(is_listed(name));
}

TEST(NamedSegment, IsFoundByNameWithItsContentAndGoesWithItsCreator) {
  const std::string name = unique_name("found");
  {
    const Segment created = Segment::create_named(name, 10'000);
    created.data()[9999] = std::byte{5};
    const Segment opened = Segment::open_named(name);
    EXPECT_EQ(opened.size(), 10'000u);
    EXPECT_NE(opened.data(), created.data());
    EXPECT_EQ(opened.data()[9999], std::byte{5});
  }
  EXPECT_THROW((void)Segment::open_named(name), SystemError);
}

TEST(NamedSegment, SurvivesTheEndOfOthersThatHaveIt) {
  const std::string name = unique_name("inherited");
  auto created = std::make_unique<Segment>(Segment::create_named(name, 64));
  ASSERT_EQ(in_child([&] {
              created.reset();  // the child's copy of the creator's object
              const Segment opened = Segment::open_named(name);
              return 0;
            }),
            0);
  EXPECT_TRUE(is_listed(name));
}

TEST(NamedSegment, RefusesANameInUseAndSaysByWhom) {
  const std::string name = unique_name("taken");
  const Segment created = Segment::create_named(name, 64);
  try {
    (void)Segment::create_named(name, 64);
    FAIL() << "took a name in use";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("process " + std::to_string(::getpid())), std::string::npos);
  }
}

TEST(NamedSegment, RefusesNamesThatCouldLeaveTheFolder) {
  for (const char* name : {"", "a/b", "../x", "a b", "\xc3\xa9"}) {
    EXPECT_THROW((void)Segment::create_named(name, 64), UsageError) << name;
  }
  EXPECT_THROW((void)Segment::create_named(std::string(65, 'a'), 64), UsageError);
}

TEST(NamedSegment, ThatDoesNotFitIsAnErrorAtCreation) {
  const std::string name = unique_name("large");
  EXPECT_THROW((void)Segment::create_named(name, std::size_t{1} << 50), SystemError);
  EXPECT_FALSE(is_listed(name));
}

TEST(NamedSegment, OfAnotherMakeIsNotOpened) {
  const std::string name = unique_name("foreign");
  const std::string path = "/dev/shm/laxity." + std::to_string(::geteuid()) + "." + name;
  std::ofstream(path) << "not a segment";
  EXPECT_THROW((void)Segment::open_named(name), Error);
  EXPECT_FALSE(is_listed(name));
  EXPECT_EQ(::unlink(path.c_str()), 0);
}

TEST(NamedSegment, OfAKilledProcessIsStaleAndIsRemoved) {
  const std::string live_name = unique_name("live");
  const std::string stale_name = unique_name("stale");
  const Segment live = Segment::create_named(live_name, 64);
  EXPECT_EQ(in_child([&] {
              static const Segment left_behind = Segment::create_named(stale_name, 64);
              return ::kill(::getpid(), SIGKILL);
            }),
            -1);
  const auto found = list_named_segments();
  for (const NamedSegment& segment : found) {
    if (segment.name != stale_name && segment.name != live_name) continue;
    EXPECT_EQ(segment.owner_is_gone, segment.name == stale_name) << segment.name;
  }
  try {
    (void)Segment::create_named(stale_name, 64);
    FAIL() << "took a name in use";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("laxity clean"), std::string::npos) << error.what();
  }
  const auto removed = remove_stale_segments();
  EXPECT_TRUE(std::any_of(removed.begin(), removed.end(), [&](const auto& s) { return s.name == stale_name; }));
  EXPECT_FALSE(is_listed(stale_name));
  EXPECT_TRUE(is_listed(live_name));
}

}  // namespace
}  // namespace laxity
