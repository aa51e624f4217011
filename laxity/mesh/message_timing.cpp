// Senders that write the time into frames, and receivers that read it.
#include "laxity/mesh/message_timing.hpp"

#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

namespace laxity {
namespace {

using SentNs = std::int64_t;  // precedes the payload of a frame
constexpr SentNs untimed = std::numeric_limits<SentNs>::min();

class TimedSender {
 public:
  static constexpr bool lossless = false;  // decided at run time by is_lossless()

  TimedSender(AnySender sender, TimingConnector::Now now) : sender_(std::move(sender)), now_(std::move(now)) {}

  [[nodiscard]] bool is_lossless() const noexcept { return sender_.is_lossless(); }
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return sender_.frame_capacity() - sizeof(SentNs); }
  [[nodiscard]] std::byte* try_claim() noexcept {
    room_ = sender_.try_claim();
    return room_ == nullptr ? nullptr : room_ + sizeof(SentNs);
  }
  void publish(std::size_t bytes) noexcept {
    SentNs sent_ns = untimed;
    if (--until_timed_ == 0) {
      sent_ns = now_();
      until_timed_ = TimingConnector::frames_per_timed;
    }
    std::memcpy(room_, &sent_ns, sizeof sent_ns);
    sender_.publish(bytes + sizeof(SentNs));
  }

 private:
  AnySender sender_;
  TimingConnector::Now now_;
  std::byte* room_ = nullptr;
  int until_timed_ = TimingConnector::frames_per_timed;
};

class TimedReceiver {
 public:
  TimedReceiver(AnyReceiver receiver, OutletCounters& counters, TimingConnector::Now now)
      : receiver_(std::move(receiver)), counters_(&counters), now_(std::move(now)) {}

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept { return count(receiver_.try_step(limit)); }
  [[nodiscard]] std::size_t jump() noexcept { return count(receiver_.jump()); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept {
    const std::span<const std::byte> whole = receiver_.frame();
    return whole.size() < sizeof(SentNs) ? std::span<const std::byte>{} : whole.subspan(sizeof(SentNs));
  }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return receiver_.superseded(); }

 private:
  std::size_t count(std::size_t moved) noexcept {
    if (moved == 0) return 0;
    SentNs sent_ns = untimed;
    if (const auto whole = receiver_.frame(); whole.size() >= sizeof sent_ns)
      std::memcpy(&sent_ns, whole.data(), sizeof sent_ns);
    if (sent_ns != untimed) {
      counters_->timed.add();
      counters_->one_way_ns.add(static_cast<std::uint64_t>(now_() - sent_ns));
    }
    return moved;
  }

  AnyReceiver receiver_;
  OutletCounters* counters_;
  TimingConnector::Now now_;
};

static_assert(Sender<TimedSender> && Receiver<TimedReceiver>);

}  // namespace

AnySender TimingConnector::sender(const LinkSpec& link) {
  return TimedSender(inner().sender(with_room_for(sizeof(SentNs), link)), now_);
}

AnyReceiver TimingConnector::receiver(const LinkSpec& link) {
  return TimedReceiver(inner().receiver(with_room_for(sizeof(SentNs), link)), inner().outlet_counters(link), now_);
}

}  // namespace laxity
