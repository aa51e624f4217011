// Senders and receivers that log their frames.
#include "laxity/mesh/message_log.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>

namespace laxity {
namespace {

using Number = std::uint64_t;  // precedes the payload of a frame

class LoggedSender {
 public:
  static constexpr bool lossless = false;  // decided at run time by is_lossless()

  LoggedSender(AnySender sender, LinkLog log, LoggingConnector::Now now)
      : sender_(std::move(sender)), log_(log), now_(std::move(now)) {}

  [[nodiscard]] bool is_lossless() const noexcept { return sender_.is_lossless(); }
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return sender_.frame_capacity() - sizeof(Number); }
  [[nodiscard]] std::byte* try_claim() noexcept {
    room_ = sender_.try_claim();
    if (room_ == nullptr) {
      ++refused_;
      return nullptr;
    }
    return room_ + sizeof(Number);
  }
  void publish(std::size_t bytes) noexcept {
    std::memcpy(room_, &number_, sizeof number_);
    if (!log_.is_off()) log_.add_sent(number_, now_(), std::exchange(refused_, 0));
    ++number_;
    sender_.publish(bytes + sizeof(Number));
  }

 private:
  AnySender sender_;
  LinkLog log_;
  LoggingConnector::Now now_;
  std::byte* room_ = nullptr;
  Number number_ = 0;
  std::uint32_t refused_ = 0;
};

class LoggedReceiver {
 public:
  LoggedReceiver(AnyReceiver receiver, LinkLog log, LoggingConnector::Now now)
      : receiver_(std::move(receiver)), log_(log), now_(std::move(now)) {}

  [[nodiscard]] std::size_t try_step(std::size_t limit) noexcept { return note(receiver_.try_step(limit)); }
  [[nodiscard]] std::size_t jump() noexcept { return note(receiver_.jump()); }
  [[nodiscard]] std::span<const std::byte> frame() const noexcept {
    const std::span<const std::byte> whole = receiver_.frame();
    return whole.empty() ? whole : whole.subspan(sizeof(Number));
  }
  [[nodiscard]] std::uint64_t superseded() const noexcept { return receiver_.superseded(); }

 private:
  std::size_t note(std::size_t moved) noexcept {
    if (moved == 0 || log_.is_off()) return moved;
    Number number = 0;
    std::memcpy(&number, receiver_.frame().data(), sizeof number);
    const std::int64_t now_ns = now_();
    const Number oldest = number > log_.frames() ? number - log_.frames() : 0;
    for (Number passed = std::max(next_, oldest); passed < number; ++passed)
      log_.add_seen(passed, now_ns, FrameFate::overtaken);
    log_.add_seen(number, now_ns, FrameFate::shown);
    next_ = std::max(next_, number + 1);  // a frame that arrives out of order does not move it back
    return moved;
  }

  AnyReceiver receiver_;
  LinkLog log_;
  LoggingConnector::Now now_;
  Number next_ = 0;  // the number after the newest frame shown
};

static_assert(Sender<LoggedSender> && Receiver<LoggedReceiver>);

}  // namespace

AnySender LoggingConnector::sender(const LinkSpec& link) {
  return LoggedSender(inner().sender(with_room_for(sizeof(Number), link)), place_(link.key), now_);
}

AnyReceiver LoggingConnector::receiver(const LinkSpec& link) {
  return LoggedReceiver(inner().receiver(with_room_for(sizeof(Number), link)), place_(link.key), now_);
}

LinkLog LinkLogs::at(const LinkKey& key) {
  std::vector<std::byte>& memory = logs_[key];
  memory.resize(LinkLog::bytes_needed(frames_));
  return {memory.data(), frames_};
}

void LinkLogs::add(const LinkKey& key, const LinkLog& log) {
  const std::span<std::byte> sum = at(key).bytes();
  std::ranges::transform(sum, log.bytes(), sum.begin(), std::bit_or{});  // an end that is elsewhere is zero
}

void LinkLogs::add(std::span<const std::byte> packed) {
  const std::size_t log_bytes = LinkLog::bytes_needed(frames_);
  LinkKey key;
  std::vector<std::byte> log(log_bytes);
  for (; packed.size() >= sizeof key + log_bytes; packed = packed.subspan(sizeof key + log_bytes)) {
    std::memcpy(&key, packed.data(), sizeof key);
    std::memcpy(log.data(), packed.data() + sizeof key, log_bytes);
    add(key, LinkLog(log.data(), frames_));
  }
}

std::vector<std::byte> LinkLogs::packed() const {
  std::vector<std::byte> packed;
  for (const auto& [key, log] : logs_) {
    std::ranges::copy(std::as_bytes(std::span(&key, 1)), std::back_inserter(packed));
    packed.insert(packed.end(), log.begin(), log.end());
  }
  return packed;
}

std::vector<LoggedFrame> LinkLogs::collect() {
  std::vector<LoggedFrame> frames;
  for (auto& [key, log] : logs_)
    std::ranges::copy(LinkLog(log.data(), frames_).collect(key), std::back_inserter(frames));
  count_from_first(frames);
  return frames;
}

void count_from_first(std::vector<LoggedFrame>& frames) noexcept {
  const auto first = std::ranges::min_element(frames, {}, &LoggedFrame::sent_ns);
  if (first == frames.end()) return;
  const std::int64_t zero_ns = first->sent_ns;
  for (LoggedFrame& frame : frames) frame.sent_ns -= zero_ns, frame.seen_ns -= zero_ns;
}

std::vector<LoggedFrame> LinkLog::collect(const LinkKey& key) const {
  std::vector<LoggedFrame> frames;
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const Sent& sent = sent_[i];
    if (sent.number_plus_one == 0) continue;
    LoggedFrame frame{key, sent.number_plus_one - 1, sent.at_ns, sent.at_ns, sent.refused_before};
    if (const Seen& seen = seen_[i]; seen.number_plus_one == sent.number_plus_one) {
      frame.seen_ns = seen.at_ns;
      frame.fate = seen.fate;
    }
    frames.push_back(frame);
  }
  std::ranges::sort(frames, {}, &LoggedFrame::number);
  return frames;
}

}  // namespace laxity
