// Anti-messages: each cancels as many events of one lane as fit, and each event is canceled once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "laxity/random.hpp"
#include "laxity/timewarp/exchange/output_queue.hpp"
#include "tests/unit/timewarp/post_model.hpp"

namespace laxity::timewarp {
namespace {

struct Tiny {
  using Time = double;
  struct State {};
  struct Event {
    std::uint8_t only;
  };
  void init(Context<Tiny>&) const {}
  void handle(Context<Tiny>&, const Event&) const {}
};

// An exchange that keeps the messages sent, with their receivers.
template <class M>
struct Outbox {
  std::size_t lanes;
  std::vector<std::pair<int, Message<M>>> sent{};

  [[nodiscard]] std::size_t lane(LpId receiver) const noexcept { return receiver % lanes; }
  void send(int to, const Message<M>& message) { sent.emplace_back(to, message); }
  void flush() noexcept {}
  template <class Deliver>
  std::size_t receive(std::size_t, Deliver) {
    return 0;
  }
  [[nodiscard]] std::size_t channels() const noexcept { return 1; }
  [[nodiscard]] std::size_t backlog() const noexcept { return 0; }
};

struct alignas(64) SharedState {
  std::byte bytes[1024] = {};
};

template <class M>
class Sending {
 public:
  explicit Sending(std::size_t lanes) : outbox{lanes} {}

  // Sends an event to this process and prepends its stub to the list.
  EventId send(LpId receiver, std::uint64_t time, EventId list) {
    output_queue.send({.key = {time, 0}, .receiver = receiver, .event = {}}, list);
    return list;
  }

  SharedState shared;
  Gvt gvt{*reinterpret_cast<GvtSharedState*>(shared.bytes), 0, 1};
  Partition partition{100, 10};
  Outbox<M> outbox;
  OutputQueue<M, Outbox<M>> output_queue{outbox, gvt, partition, 4096, MemoryPlacement::local, nullptr};
};

template <class M>
void expect_each_canceled_once(std::size_t lanes) {
  SeededRandom random(lanes);
  for (int turn = 0; turn < 200; ++turn) {
    Sending<M> sending(lanes);
    using Way = std::pair<int, std::size_t>;
    std::map<Way, std::set<std::pair<std::uint64_t, std::uint32_t>>> expected;  // times and handles
    std::vector<EventId> lists(1 + random.below(4), no_event);
    const std::uint32_t events = random.below(100);
    for (std::uint32_t i = 0; i < events; ++i) {
      const LpId receiver = 10 + random.below(40);
      const std::uint64_t time = 1 + random.below(1000);
      EventId& list = lists[random.below(static_cast<std::uint32_t>(lists.size()))];
      list = sending.send(receiver, time, list);
      expected[{sending.partition.worker_of(receiver), receiver % lanes}].emplace(time, list);
    }
    sending.outbox.sent.clear();
    for (const EventId list : lists) sending.output_queue.cancel(list);
    EXPECT_TRUE(sending.outbox.sent.empty()) << "anti-messages wait for send_anti_messages()";
    const std::uint64_t posted = sending.output_queue.send_anti_messages();
    EXPECT_EQ(sending.output_queue.in_use(), 0U);

    std::size_t fewest = 0;
    for (const auto& [way, those] : expected) {
      fewest += (those.size() + Message<M>::max_canceled - 1) / Message<M>::max_canceled;
    }
    EXPECT_EQ(posted, fewest);
    ASSERT_EQ(sending.outbox.sent.size(), fewest);
    for (const auto& [to, message] : sending.outbox.sent) {
      ASSERT_TRUE(message.is_anti_message());
      ASSERT_LE(message.bytes(), sizeof message);
      auto& those = expected[{to, message.receiver % lanes}];
      message.for_each_canceled([&, &message = message](std::uint32_t handle) {
        const auto event = std::find_if(those.begin(), those.end(), [&](const auto& e) { return e.second == handle; });
        ASSERT_NE(event, those.end()) << "canceled twice, or in another lane";
        EXPECT_GE(event->first, message.key.time) << "GVT would pass the event";
        those.erase(event);
      });
    }
    for (const auto& [way, those] : expected) EXPECT_TRUE(those.empty());
    EXPECT_EQ(sending.output_queue.send_anti_messages(), 0U) << "each event is canceled once";
  }
}

TEST(AntiMessages, CancelEachEventOnceInAsFewMessagesAsPossible) {
  for (const std::size_t lanes : {1U, 4U}) {
    expect_each_canceled_once<Tiny>(lanes);
    expect_each_canceled_once<Post<1>>(lanes);
    expect_each_canceled_once<Post<5>>(lanes);
    expect_each_canceled_once<Post<100>>(lanes);
  }
}

TEST(AntiMessages, HoldAsManyHandlesAsFitInThePayload) {
  EXPECT_EQ(Message<Tiny>::max_canceled, 1U);
  EXPECT_EQ(Message<Post<1>>::max_canceled, 2U);
  EXPECT_EQ(Message<Post<5>>::max_canceled, 10U);
  EXPECT_EQ(Message<Post<100>>::max_canceled, 16U);
}

TEST(AntiMessages, AreNotSentAfterTheEndOfTheRun) {
  Sending<Post<1>> sending(1);
  const EventId list = sending.send(20, 5, no_event);
  sending.outbox.sent.clear();
  sending.gvt.start();
  sending.gvt.received(0);
  ASSERT_TRUE(sending.gvt.advance([] { return GvtReport{latest_key}; }));
  sending.output_queue.cancel(list);
  EXPECT_EQ(sending.output_queue.send_anti_messages(), 0U);
  EXPECT_TRUE(sending.outbox.sent.empty());
  EXPECT_EQ(sending.output_queue.in_use(), 0U);
}

}  // namespace
}  // namespace laxity::timewarp
