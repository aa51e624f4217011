#include "laxity/clock/offset_bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "laxity/clock/offset_envelope.hpp"
#include "laxity/error.hpp"
#include "laxity/random.hpp"

namespace laxity {
namespace {

constexpr std::int64_t boot_ns = 3'000'000'000'000'000;  // a host that was booted a month ago
constexpr int seeds = 200;

// Reads a clock through messages that take at least 200 ns.
class Asker {
 public:
  Asker(const ClockModel& truth, std::uint64_t seed) : truth_(truth), random_(seed) {}

  // A burst of exchanges; each message is delayed by up to `slow_ns`, answers by another `held_up_ns`.
  void ask(OffsetBounds& bounds, std::uint32_t slow_ns, std::int64_t held_up_ns = 0) {
    for (int exchange = 0; exchange < 20; ++exchange) {
      const std::int64_t sent_ns = now_ns_;
      now_ns_ += 200 + random_.below(slow_ns);
      const std::int64_t answer_ns = truth_.to_global(now_ns_);
      now_ns_ += 200 + random_.below(slow_ns) + held_up_ns;
      bounds.add(sent_ns, answer_ns, now_ns_);
    }
  }
  void sleep(std::int64_t time_ns) { now_ns_ += time_ns; }

  // The error of `found` some time after the last exchange.
  [[nodiscard]] double error_ns(const ClockModel& found, std::int64_t after_ns) const {
    return static_cast<double>(found.to_global(now_ns_ + after_ns) - truth_.to_global(now_ns_ + after_ns));
  }
  [[nodiscard]] bool one_in(std::uint32_t many) { return random_.below(many) == 0; }

 private:
  ClockModel truth_;
  SeededRandom random_;
  std::int64_t now_ns_ = boot_ns;
};

TEST(OffsetBounds, FindOffsetAndDriftOfAnyClock) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Asker asker(random_clock_model(seed, boot_ns), seed);
    OffsetBounds bounds;
    for (int burst = 0; burst < 50; ++burst) {
      asker.ask(bounds, 2'000);
      asker.sleep(20'000'000);
    }
    const BoundedModel found = bounds.middle();
    ASSERT_LE(std::abs(asker.error_ns(found.model, 0)), 200) << "seed " << seed;
    ASSERT_LE(std::abs(asker.error_ns(found.model, 4'000'000'000)), 1'000) << "seed " << seed;
    ASSERT_LE(std::abs(asker.error_ns(found.model, 0)), found.width_ns + 1) << "it is between its bounds";
  }
}

TEST(OffsetBounds, MessagesThatAreHeldUpDoNoHarm) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Asker asker(random_clock_model(seed, boot_ns), seed);
    OffsetBounds bounds;
    for (int burst = 0; burst < 100; ++burst) {
      // In nine bursts of ten all answers are late by a time slice, as between processes that share a core.
      asker.ask(bounds, 500, asker.one_in(10) ? 0 : 50'000);
      asker.sleep(10'000'000);
    }
    const BoundedModel found = bounds.middle();
    ASSERT_LE(std::abs(asker.error_ns(found.model, 0)), 1'000) << "seed " << seed;
  }
}

TEST(OffsetBounds, KeepNoiseOutOfTheDriftOfClocksThatHaveNone) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Asker asker({.origin_ns = boot_ns, .offset_ns = 1e6}, seed);
    OffsetBounds bounds;
    for (int burst = 0; burst < 50; ++burst) {
      asker.ask(bounds, 2'000);
      asker.sleep(20'000'000);
    }
    const BoundedModel found = bounds.middle();
    EXPECT_NEAR(found.model.offset_ns, 1e6, 200);
    EXPECT_LE(std::abs(found.model.drift), 0.3e-6);
  }
}

TEST(OffsetBounds, OfOneExchangeGiveItsMiddleAndNoDrift) {
  OffsetBounds bounds;
  bounds.add(boot_ns, boot_ns + 1'030, boot_ns + 100);
  const BoundedModel found = bounds.middle();
  EXPECT_EQ(found.model.drift, 0);
  EXPECT_NEAR(found.model.offset_ns, 980, 1);
  EXPECT_NEAR(found.width_ns, 100, 3);
}

TEST(OffsetBounds, OfAClockThatWasSetGiveALineAllTheSame) {
  OffsetBounds bounds;
  for (int exchange = 0; exchange < 10; ++exchange) {
    const std::int64_t sent_ns = boot_ns + exchange * std::int64_t{1'000'000};
    const std::int64_t set_ns = exchange % 2 == 0 ? 0 : 1'000'000;
    bounds.add(sent_ns, sent_ns + 50 + set_ns, sent_ns + 100);
  }
  const BoundedModel found = bounds.middle();
  EXPECT_NEAR(found.model.offset_ns, 500'000, 600'000);
}

TEST(OffsetBounds, NeedAnExchange) { EXPECT_THROW(static_cast<void>(OffsetBounds().middle()), UsageError); }

TEST(OffsetEnvelope, HoldsTheTrueOffsetHoweverSlowMessagesAre) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SeededRandom random(seed);
    const auto offset_ns = static_cast<std::int64_t>(2e9 * (random.unit() - 0.5));
    OffsetEnvelope envelope;
    std::int64_t now_ns = boot_ns;
    double width_ns = 1e18;
    for (int exchange = 0; exchange < 50; ++exchange) {
      const std::int64_t sent_ns = now_ns;
      now_ns += 200 + random.below(100'000);
      const std::int64_t answer_ns = now_ns + offset_ns;
      now_ns += 200 + random.below(100'000);
      (void)envelope.add(sent_ns, answer_ns, now_ns);
      ASSERT_LE(std::abs(envelope.offset_ns() - static_cast<double>(offset_ns)), envelope.width_ns() / 2);
      ASSERT_LE(envelope.width_ns(), width_ns) << "it only gets narrower";
      width_ns = envelope.width_ns();
    }
  }
}

TEST(OffsetEnvelope, SaysWhetherAnExchangeNarrowedIt) {
  OffsetEnvelope envelope;
  EXPECT_TRUE(envelope.add(0, 50, 100));
  EXPECT_FALSE(envelope.add(1'000, 1'050, 1'100));
  EXPECT_TRUE(envelope.add(2'000, 2'020, 2'040));
  EXPECT_EQ(envelope.offset_ns(), 0);
  EXPECT_EQ(envelope.width_ns(), 40);
}

}  // namespace
}  // namespace laxity
