// Logical processes draw from independent random streams, which are rolled back with their states.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <type_traits>

#include "laxity/distributions.hpp"
#include "laxity/random.hpp"
#include "laxity/random_stream.hpp"
#include "laxity/timewarp/context.hpp"
#include "laxity/timewarp/event.hpp"
#include "laxity/timewarp/model.hpp"
#include "laxity/timewarp/replay/replayed_run.hpp"
#include "laxity/timewarp/sequential.hpp"

namespace laxity::timewarp {
namespace {

// Every event draws its delay from the first stream. What it draws from the second one depends on its receiver.
template <StateSaving saving, class Generator = RandomStream, std::size_t streams = 2>
struct Drawing {
  using Time = double;
  using Random = Generator;
  static constexpr std::size_t random_streams = streams;
  static constexpr StateSaving state_saving = saving;
  struct State {
    std::uint64_t sum = 0;
  };
  struct Event {
    std::uint64_t drawn;
  };
  void init(Context<Drawing>& lp) const { lp.send(lp.self(), 1 + lp.random().unit(), {0}); }
  void handle(Context<Drawing>& lp, const Event& event) const {
    lp.state().sum += event.drawn;
    Generator& other = lp.template random<streams - 1>();
    for (LpId i = 0; i < lp.self() % 3; ++i) (void)other.bits();
    const double delay = exponential(lp.random(), 1);
    lp.send(other.below(lp.logical_processes()), delay, {other.bits()});
  }
  void reverse(Context<Drawing>& lp, const Event& event) const { lp.state().sum -= event.drawn; }
};

template <class M>
void expect_replays_equal() {
  const Simulation<M> simulation{{}, {7, 40.0}, 5};
  const auto expected = run_sequential(simulation, {.digest = true});
  std::uint64_t rolled_back = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto replayed = run_replayed(simulation, {.workers = 3, .seed = seed, .worker = {.digest = true}});
    EXPECT_EQ(replayed.digest, expected.digest) << "seed " << seed;
    rolled_back += replayed.total().rolled_back;
  }
  EXPECT_GT(rolled_back, 0U);
}

TEST(RandomStreams, AreRolledBackWithTheState) {
  expect_replays_equal<Drawing<StateSaving::copy>>();
  expect_replays_equal<Drawing<StateSaving::periodic>>();
  expect_replays_equal<Drawing<StateSaving::reverse>>();
}

TEST(RandomStreams, AModelMayNameAnotherGenerator) {
  using Model = Drawing<StateSaving::reverse, SeededRandom, 1>;
  static_assert(std::is_same_v<RandomOf<Model>, SeededRandom>);
  static_assert(sizeof(RandomsOf<Model>) == 8);
  expect_replays_equal<Model>();
}

TEST(RandomStreams, DifferBetweenProcessesStreamsAndSeeds) {
  using Model = Drawing<StateSaving::copy>;
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (LpId lp = 0; lp < 100; ++lp) {
      auto streams = first_random<Model>(seed, lp);
      for (RandomStream& stream : streams) first.insert(stream.bits());
    }
  }
  EXPECT_EQ(first.size(), 4U * 100 * 2);
}

}  // namespace
}  // namespace laxity::timewarp
