// An end of an overwriting ring that is killed before any of its atomic operations: its successor goes on, nothing is
// torn, shown twice or out of order, and what is shown stays.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "laxity/error.hpp"
#include "laxity/transport/overwriting_ring.hpp"
#include "laxity/transport/segment.hpp"

namespace laxity {
namespace {

int operations_left = 0;  // of this process; then it ends as a killed one does

void count_operation() noexcept {
  if (operations_left-- == 0) ::_exit(9);
}

/// Laid out as StdAtomics, so that both work on the same memory.
struct MortalAtomics {
  template <class T>
  class Atomic : public StdAtomics::Atomic<T> {
   public:
    using StdAtomics::Atomic<T>::Atomic;
    [[nodiscard]] T load(AtomicSite site) const noexcept {
      count_operation();
      return StdAtomics::Atomic<T>::load(site);
    }
    void store(T value, AtomicSite site) noexcept {
      count_operation();
      StdAtomics::Atomic<T>::store(value, site);
    }
    [[nodiscard]] T exchange(T value, AtomicSite site) noexcept {
      count_operation();
      return StdAtomics::Atomic<T>::exchange(value, site);
    }
  };
  template <class T>
  using Plain = StdAtomics::Plain<T>;
};
using MortalRing = BasicOverwritingRing<MortalAtomics>;

constexpr std::size_t words = 16;
using Letter = std::array<std::uint64_t, words>;

class Ends {
 public:
  explicit Ends(std::size_t depth)
      : shape_{depth, sizeof(Letter)}, memory_(Segment::shared(OverwritingRing::bytes_needed(shape_))) {
    OverwritingRing::initialize(memory_.data(), shape_);
  }
  [[nodiscard]] std::byte* memory() const noexcept { return memory_.data(); }

  /// Runs act in another process that ends before its operation number `operation`. False: it has done all of them.
  template <class Act>
  [[nodiscard]] bool kill_at(int operation, Act&& act) const {
    const pid_t child = ::fork();
    if (child == 0) {
      operations_left = operation;
      act();
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WEXITSTATUS(status) == 9;
  }

 private:
  RingShape shape_;
  Segment memory_;
};

template <class Sender>
void send(Sender& sender, std::uint64_t number) {
  Letter letter;
  letter.fill(number);
  std::memcpy(sender.try_claim(), letter.data(), sizeof letter);
  sender.publish(sizeof letter);
}

/// The number of the frame shown, which must be whole.
template <class Receiver>
std::uint64_t read(const Receiver& receiver) {
  if (receiver.frame().empty()) return 0;  // before the first
  Letter letter;
  EXPECT_EQ(receiver.frame().size(), sizeof letter);
  std::memcpy(letter.data(), receiver.frame().data(), sizeof letter);
  for (const std::uint64_t each : letter) EXPECT_EQ(each, letter[0]) << "torn";
  return letter[0];
}

class KilledDuringExchange : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Depth, KilledDuringExchange, testing::Values(1, 2, 3), testing::PrintToStringParamName());

TEST_P(KilledDuringExchange, ASenderLeavesNoTornFrameToItsSuccessor) {
  const std::size_t depth = GetParam();
  bool killed = true;
  for (int operation = 0; killed; ++operation) {
    for (const int pulled_before : {0, 1}) {
      SCOPED_TRACE("operation " + std::to_string(operation));
      const Ends ends(depth);
      OverwritingRing::Receiver receiver(ends.memory());
      std::uint64_t last = 0;
      const auto step = [&] {
        const std::uint64_t passed = last;
        if (receiver.try_step(1) == 0) return;
        last = read(receiver);
        EXPECT_GT(last, passed) << "shown twice, or out of order";
      };
      OverwritingRing::Sender first(ends.memory());
      for (std::uint64_t number = 1; number <= 2; ++number) send(first, number);
      if (pulled_before != 0) step();
      killed = ends.kill_at(operation, [&] {
        MortalRing::Sender sender(ends.memory());
        for (std::uint64_t number = 3; number <= 3 + depth; ++number) send(sender, number);
      });
      if (operation % 2 == 1) step();
      OverwritingRing::Sender successor(ends.memory());
      for (std::uint64_t number = 100; number < 120; ++number) {
        const std::uint64_t shown = last;
        send(successor, number);
        ASSERT_EQ(read(receiver), shown) << "what is shown has changed";
        if (number % 3 == 0) step();
      }
      while (last != 119) {
        const std::uint64_t before = last;
        step();
        ASSERT_NE(last, before) << "the newest does not arrive";
      }
    }
  }
}

TEST_P(KilledDuringExchange, AReceiverLeavesTheFrameThatItTookToItsSuccessor) {
  const std::size_t depth = GetParam();
  bool killed = true;
  for (int operation = 0; killed; ++operation) {
    SCOPED_TRACE("operation " + std::to_string(operation));
    const Ends ends(depth);
    OverwritingRing::Sender sender(ends.memory());
    for (std::uint64_t number = 1; number <= 2 * depth; ++number) send(sender, number);
    killed = ends.kill_at(operation, [&] {
      MortalRing::Receiver receiver(ends.memory());
      (void)receiver.try_step(1);
      (void)receiver.try_step(1);
    });
    if (operation % 2 == 1) send(sender, 50);
    OverwritingRing::Receiver successor(ends.memory());
    std::uint64_t last = read(successor);
    const std::uint64_t superseded_before = successor.superseded();
    std::uint64_t sent = operation % 2 == 1 ? 2 * depth + 1 : 2 * depth, moved = 0;
    for (std::uint64_t number = 100; number < 120; ++number) {
      send(sender, number), ++sent;
      ASSERT_EQ(read(successor), last) << "what is shown has changed";
      if (number % 3 != 0) continue;
      const std::size_t step = successor.try_step(1);
      moved += step;
      const std::uint64_t shown = read(successor);
      ASSERT_GT(shown, last);
      last = shown;
    }
    moved += successor.jump();
    EXPECT_EQ(read(successor), 119U);
    EXPECT_LE(moved + successor.superseded() - superseded_before, sent);
    EXPECT_LE(moved + successor.superseded(), sent) << "counted twice";
  }
}

TEST(OverwritingRing, OfTwoKilledEndsSaysSo) {
  bool said = false;
  bool killed = true;
  for (int operation = 0; killed; ++operation) {
    int receiver_operation = 0;
    // Each pair of points at which both are killed: the successors go on with whole frames, or attaching throws.
    for (bool more = true; more; ++receiver_operation) {
      const Ends both(2);
      OverwritingRing::Sender start(both.memory());
      for (std::uint64_t number = 1; number <= 3; ++number) send(start, number);
      more = both.kill_at(receiver_operation, [&] {
        MortalRing::Receiver receiver(both.memory());
        (void)receiver.try_step(1);
      });
      killed = both.kill_at(operation, [&] {
        MortalRing::Sender sender(both.memory());
        send(sender, 4);
      });
      try {
        OverwritingRing::Sender sender(both.memory());
        OverwritingRing::Receiver receiver(both.memory());
        for (std::uint64_t number = 10; number < 20; ++number) {
          const std::uint64_t shown = read(receiver);
          send(sender, number);
          ASSERT_EQ(read(receiver), shown);
          if (number % 2 == 0) (void)receiver.try_step(1);
        }
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("both ends were killed"), std::string::npos);
        said = true;
      }
    }
  }
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace laxity
