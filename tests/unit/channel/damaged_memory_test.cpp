// Every word of a ring's memory, overwritten by another process while channels use it: the ends stay inside of the memory
// (the address sanitizer watches), and what they notice is one named error.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "laxity/channel/accumulating_channels.hpp"
#include "laxity/channel/aggregated_channels.hpp"
#include "laxity/channel/channel.hpp"
#include "laxity/channel/damaged_frame.hpp"
#include "laxity/channel/pooled_channels.hpp"
#include "laxity/random.hpp"

namespace laxity {
namespace {

constexpr std::size_t channels = 70;

struct Pooled {
  static constexpr std::size_t bytes = value_frame_bytes<std::uint64_t>(channels);
  PooledInlet<std::uint64_t> inlet;
  PooledOutlet<std::uint64_t> outlet;
  Pooled(AnySender sender, AnyReceiver receiver)
      : inlet(std::move(sender), channels), outlet(std::move(receiver), channels) {}
  void send(std::uint64_t turn) {
    inlet.put(turn % channels, turn);
    inlet.try_flush();
  }
  void receive() {
    outlet.try_step();
    for (std::size_t i = 0; i < channels; ++i) sum += outlet.get(i);
  }
  std::uint64_t sum = 0;
};

struct Aggregated {
  static constexpr std::size_t bytes = 200;
  AggregatedInlet<std::string> inlet;
  AggregatedOutlet<std::string> outlet;
  Aggregated(AnySender sender, AnyReceiver receiver)
      : inlet(std::move(sender), channels), outlet(std::move(receiver), channels) {}
  void send(std::uint64_t turn) {
    (void)inlet.try_put(turn % channels, std::to_string(turn));
    (void)inlet.try_put((turn + 3) % channels, "some words of a message");
    inlet.try_flush();
  }
  void receive() {
    outlet.jump();
    for (std::size_t i = 0; i < channels; ++i) sum += outlet.get(i).size() + outlet.messages(i).size();
  }
  std::uint64_t sum = 0;
};

template <class T>
struct Single {
  static constexpr std::size_t bytes = 64;
  Inlet<T> inlet;
  Outlet<T> outlet;
  Single(AnySender sender, AnyReceiver receiver) : inlet(std::move(sender)), outlet(std::move(receiver)) {}
  void send(std::uint64_t turn) {
    if constexpr (std::same_as<T, std::array<std::uint64_t, 8>>)
      (void)inlet.try_put({turn, turn});
    else
      (void)inlet.try_put(T(static_cast<std::size_t>(turn % 8), static_cast<typename T::value_type>(turn)));
  }
  void receive() {
    outlet.try_step();
    for (const auto each : outlet.get()) sum += static_cast<std::uint64_t>(each);
  }
  std::uint64_t sum = 0;
};

struct Accumulating {
  static constexpr std::size_t bytes = value_frame_bytes<std::uint64_t>(channels);
  AccumulatingInlet<std::uint64_t> inlet;
  AccumulatingOutlet<std::uint64_t> outlet;
  Accumulating(AnySender sender, AnyReceiver receiver)
      : inlet(std::move(sender), channels), outlet(std::move(receiver), channels) {}
  void send(std::uint64_t turn) {
    inlet.put(turn % channels, turn);
    inlet.try_flush();
  }
  void receive() {
    outlet.jump();
    for (std::size_t i = 0; i < channels; ++i) sum += outlet.take(i);
  }
  std::uint64_t sum = 0;
};

template <class R, class P>
struct Case {
  using Ring = R;
  using Program = P;
};

/// A ring in memory of exactly its size.
template <class Ring>
class Memory {
 public:
  explicit Memory(RingShape shape)
      : bytes(Ring::bytes_needed(shape)), data(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}))) {
    std::memset(data.get(), 0, bytes);
    Ring::initialize(data.get(), shape);
  }
  std::size_t bytes;

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{64}); }
  };

 public:
  std::unique_ptr<std::byte[], Free> data;
};

template <class Case>
class DamagedMemory : public testing::Test {
 protected:
  using Ring = typename Case::Ring;
  using Program = typename Case::Program;
  static constexpr RingShape shape{3, Program::bytes};

  /// A word of the memory, and what it becomes.
  struct Damage {
    std::size_t word;
    std::uint64_t keep, flip;  // the bits that it keeps, and those that change then
    void apply(std::byte* memory) const {
      std::uint64_t value = 0;
      std::memcpy(&value, memory + 8 * word, 8);
      value = (value & keep) ^ flip;
      std::memcpy(memory + 8 * word, &value, 8);
    }
  };

  /// Each word of the memory in turn: overwritten, or only its low half, where rings have the length of a frame.
  template <class Check>
  static void for_each_damage(Check&& check) {
    constexpr std::uint64_t high = ~std::uint64_t{0} << 32;
    SeededRandom random(1);
    const std::size_t words = Memory<Ring>(shape).bytes / 8;
    for (std::size_t word = 0; word < words; ++word)
      for (const auto& [keep, flip] : {std::pair{std::uint64_t{0}, std::uint64_t{0}},
                                       {0, ~std::uint64_t{0}},
                                       {0, 7},
                                       {0, std::uint64_t{1} << 62},
                                       {0, random.bits()},
                                       {high, ~high},
                                       {high, 1000},
                                       {~std::uint64_t{0}, 8},
                                       {high, 1},
                                       {high, 0}}) {
        SCOPED_TRACE("word " + std::to_string(word) + " & " + std::to_string(keep) + " ^ " + std::to_string(flip));
        check(Damage{word, keep, flip});
        if (testing::Test::HasFailure()) return;
      }
  }

  /// Whether an end has noticed; any error but DamagedFrame fails the test.
  static bool notices(Program& program) {
    bool noticed = false;
    for (std::uint64_t turn = 0; turn < 12; ++turn) {
      try {
        program.receive();
      } catch (const DamagedFrame&) {
        noticed = true;
      }
      program.send(turn);
    }
    return noticed;
  }
};
using Cases = testing::Types<Case<SpscRing, Pooled>, Case<SpscRing, Aggregated>, Case<SpscRing, Accumulating>,
                             Case<SpscRing, Single<std::vector<int>>>, Case<SpscRing, Single<std::string>>,
                             Case<SpscRing, Single<std::array<std::uint64_t, 8>>>, Case<OverwritingRing, Pooled>,
                             Case<OverwritingRing, Aggregated>, Case<OverwritingRing, Single<std::string>>,
                             Case<LatestSlot, Single<std::array<std::uint64_t, 8>>>>;
TYPED_TEST_SUITE(DamagedMemory, Cases);

TYPED_TEST(DamagedMemory, LeadsNoEndOutOfItAndIsNamed) {
  using R = typename TypeParam::Ring;
  using P = typename TypeParam::Program;
  int noticed = 0;
  this->for_each_damage([&](const auto& damage) {
    Memory<R> memory(this->shape);
    P program(typename R::Sender(memory.data.get()), typename R::Receiver(memory.data.get()));
    program.send(1);
    program.receive();
    program.send(2);
    program.send(3);
    damage.apply(memory.data.get());
    noticed += this->notices(program) ? 1 : 0;
  });
  EXPECT_GT(noticed, 0) << "no length was checked";
}

TYPED_TEST(DamagedMemory, BeforeAnEndAttachesToo) {
  using R = typename TypeParam::Ring;
  using P = typename TypeParam::Program;
  int refused = 0;
  this->for_each_damage([&](const auto& damage) {
    Memory<R> memory(this->shape);
    {
      P program(typename R::Sender(memory.data.get()), typename R::Receiver(memory.data.get()));
      for (std::uint64_t turn = 1; turn <= 5; ++turn) {
        program.send(turn);
        if (turn == 2) program.receive();
      }
    }
    damage.apply(memory.data.get());
    try {
      R::require_shape(memory.data.get(), this->shape, "damaged");
      P program(typename R::Sender(memory.data.get()), typename R::Receiver(memory.data.get()));
      (void)this->notices(program);
    } catch (const Error&) {  // of attaching
      ++refused;
    }
  });
  EXPECT_GT(refused, 0) << "no shape was compared";
}

}  // namespace
}  // namespace laxity
