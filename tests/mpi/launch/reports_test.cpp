// Reports of ranks to rank 0: all arrive complete and in order, and no rank waits for another.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "laxity/launch/ranks.hpp"

namespace laxity {
namespace {

using namespace std::chrono_literals;

// Its size depends on the number; some are too large for an eager message.
std::vector<std::byte> report_of(int rank, int number) {
  std::vector<std::byte> report(1 + static_cast<std::size_t>(number) * 40'000);
  for (std::size_t i = 0; i < report.size(); ++i)
    report[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(rank * 31 + number));
  return report;
}

class ReportsOfRanks : public testing::Test {
 protected:
  void SetUp() override {
    if (ranks_ == nullptr) GTEST_SKIP() << "no launcher has started this";
    reports_ = ranks_->open_reports();
  }
  [[nodiscard]] int others() const { return ranks_->map().ranks() - 1; }
  /// For ranks other than 0.
  void send_until_it_is_enough(int most) {
    for (int number = 0; !reports_->has_ended(); std::this_thread::sleep_for(1ms))
      if (number < most && reports_->send(report_of(ranks_->map().rank, number))) ++number;
  }
  void close() {
    while (!reports_->close()) std::this_thread::sleep_for(1ms);
  }

  std::unique_ptr<Ranks> ranks_ = join_ranks({});
  std::unique_ptr<Reports> reports_;
};

TEST_F(ReportsOfRanks, AllComeInOrderAndWhole) {
  constexpr int each = 20;
  if (!ranks_->is_first()) {
    send_until_it_is_enough(each);
    return close();
  }
  std::vector<int> seen(static_cast<std::size_t>(ranks_->map().ranks()));
  for (int all = 0; all < each * others(); std::this_thread::sleep_for(1ms)) {
    reports_->receive([&](int rank, std::span<const std::byte> report) {
      const std::vector<std::byte> expected = report_of(rank, seen.at(static_cast<std::size_t>(rank))++);
      ASSERT_EQ(report.size(), expected.size());
      EXPECT_EQ(std::memcmp(report.data(), expected.data(), report.size()), 0);
      ++all;
    });
  }
  reports_->end();
  close();
}

TEST_F(ReportsOfRanks, EndWithWhatIsUnderWay) {
  if (ranks_->is_first())
    reports_->end();  // before anything was received
  else
    send_until_it_is_enough(1000);
  close();
}

TEST_F(ReportsOfRanks, OneThatSaysNothingHoldsUpNoOther) {
  if (ranks_->map().ranks() < 3) GTEST_SKIP() << "needs three ranks";
  const int silent = 1;
  if (!ranks_->is_first()) {
    send_until_it_is_enough(ranks_->map().rank == silent ? 0 : 10);
    return close();
  }
  std::vector<int> seen(static_cast<std::size_t>(ranks_->map().ranks()));
  while (seen.back() < 10)
    reports_->receive([&](int rank, std::span<const std::byte>) { ++seen.at(static_cast<std::size_t>(rank)); });
  EXPECT_EQ(seen[silent], 0);
  reports_->end();
  close();
}

}  // namespace
}  // namespace laxity
