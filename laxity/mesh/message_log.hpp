// When frames between workers left and when their readers saw them, for space-time diagrams: a log of the last frames of
// each link.
//
// A connector that wraps another one. Each frame carries its number in front of what it holds, so that a reader knows
// which one it shows, whatever was refused, superseded, lost or reordered on the way.
// Invariants: bounded: `frames` entries at each end of a link, older ones are overwritten. What is sent and what readers
//   see is as without a log; it costs a reading of the clock for each frame that is sent and each pull that moves.
// Threads: each end of a link writes its own entries; they are put together when the workers have ended.
// Elsewhere: the diagram (python/src/laxity/plots/spacetime.py).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/mesh/connector.hpp"
#include "laxity/metrics/observation.hpp"

namespace laxity {

/// What became of a frame.
enum class FrameFate : std::uint32_t {
  unseen,     ///< still under way at the end, lost, or seen too long after
  overtaken,  ///< a pull showed a newer one instead
  shown,
};

[[nodiscard]] constexpr std::string_view name_of(FrameFate fate) noexcept {
  constexpr std::array<std::string_view, 3> names{"unseen", "overtaken", "shown"};
  return names[static_cast<std::size_t>(fate)];
}

/// A frame of the log, whole.
struct LoggedFrame {
  LinkKey key{};
  std::uint64_t number = 0;          ///< of the frame on its link, from 0, refused ones not counted
  std::int64_t sent_ns = 0;          ///< by the clock of the log
  std::int64_t seen_ns = 0;          ///< by the pull that showed or overtook it; sent_ns if unseen
  std::uint32_t refused_before = 0;  ///< frames refused since the one before it
  FrameFate fate = FrameFate::unseen;
};

/// Makes times count from the first of them all.
void count_from_first(std::vector<LoggedFrame>& frames) noexcept;

/// The log of one link, in memory that both ends share. A view; zeros are an empty log.
class LinkLog {
 public:
  [[nodiscard]] static std::size_t bytes_needed(std::size_t frames) noexcept {
    return frames * (sizeof(Sent) + sizeof(Seen));
  }
  /// `memory`: zeros, bytes_needed(frames), 8-byte aligned. With no memory nothing is logged.
  LinkLog(std::byte* memory, std::size_t frames) noexcept
      : sent_(reinterpret_cast<Sent*>(memory), memory == nullptr ? 0 : frames),
        seen_(reinterpret_cast<Seen*>(sent_.data() + sent_.size()), sent_.size()) {}

  [[nodiscard]] bool is_off() const noexcept { return sent_.empty(); }
  void add_sent(std::uint64_t number, std::int64_t now_ns, std::uint32_t refused_before) const noexcept {
    sent_[number % sent_.size()] = {number + 1, now_ns, refused_before};
  }
  void add_seen(std::uint64_t number, std::int64_t now_ns, FrameFate fate) const noexcept {
    seen_[number % seen_.size()] = {number + 1, now_ns, fate};
  }
  [[nodiscard]] std::size_t frames() const noexcept { return sent_.size(); }

  /// All entries of the sender with what the reader says of them, in the order of their numbers.
  [[nodiscard]] std::vector<LoggedFrame> collect(const LinkKey& key) const;

 private:
  struct Sent {
    std::uint64_t number_and_one;  // 0: no entry
    std::int64_t at_ns;
    std::uint32_t refused_before;
  };
  struct Seen {
    std::uint64_t number_and_one;
    std::int64_t at_ns;
    FrameFate fate;
  };
  std::span<Sent> sent_;
  std::span<Seen> seen_;
};

class LoggingConnector final : public Connector {
 public:
  using Place = std::function<LinkLog(const LinkKey&)>;
  using Now = std::function<std::int64_t()>;

  /// `place` gives the log of a link, the same memory to both ends; `now` tells the time in ns. `inner` must outlive the
  /// connector. All workers wrap their connectors, or none.
  LoggingConnector(Connector& inner, Place place, Now now)
      : inner_(inner), place_(std::move(place)), now_(std::move(now)) {}

  [[nodiscard]] std::uint32_t worker() const override { return inner_.worker(); }
  [[nodiscard]] AnySender sender(const LinkSpec& link) override;
  [[nodiscard]] AnyReceiver receiver(const LinkSpec& link) override;
  [[nodiscard]] InletCounters& inlet_counters(const LinkSpec& link) override { return inner_.inlet_counters(link); }
  [[nodiscard]] OutletCounters& outlet_counters(const LinkSpec& link) override { return inner_.outlet_counters(link); }

 private:
  Connector& inner_;
  Place place_;
  Now now_;
};

}  // namespace laxity
