// A log of the last frames of each link between workers: when each was sent and when its reader saw it. For space-time
// diagrams.
//
// A connector that wraps another one. Each frame carries its number, so a reader knows which frame it shows, whatever
// was refused, superseded, lost or reordered.
// Invariants: bounded memory: each end of a link keeps its last `frames` entries. Sending and receiving behave as
//   without a log; the cost is one clock read for each frame sent and each pull that moves.
// Threads: each end of a link writes its own entries; they are merged when the workers have ended, over hosts too.
// Elsewhere: the diagram (python/src/laxity/plots/spacetime.py).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/mesh/connector.hpp"
#include "laxity/metrics/observation.hpp"

namespace laxity {

/// The outcome of a frame.
enum class FrameFate : std::uint32_t {
  unseen,     ///< in flight at the end, lost, or seen after its entry was overwritten
  overtaken,  ///< a pull showed a newer one instead
  shown,
};

[[nodiscard]] constexpr std::string_view name_of(FrameFate fate) noexcept {
  constexpr std::array<std::string_view, 3> names{"unseen", "overtaken", "shown"};
  return names[static_cast<std::size_t>(fate)];
}

/// The log entry of a frame, from both ends.
struct LoggedFrame {
  LinkKey key{};
  std::uint64_t number = 0;          ///< of the frame on its link, from 0, without refused ones
  std::int64_t sent_ns = 0;          ///< by the clock of the log
  std::int64_t seen_ns = 0;          ///< time of the pull that showed or overtook it; sent_ns if unseen
  std::uint32_t refused_before = 0;  ///< frames refused since the previous one
  FrameFate fate = FrameFate::unseen;
};

/// Shifts all times so that the first frame was sent at 0.
void count_from_first(std::vector<LoggedFrame>& frames) noexcept;

/// The log of one link, a view of memory that both ends share. Zeroed memory is an empty log.
class LinkLog {
 public:
  [[nodiscard]] static std::size_t bytes_needed(std::size_t frames) noexcept {
    return frames * (sizeof(Sent) + sizeof(Seen));
  }
  /// `memory` is zeroed, 8-byte aligned, and has bytes_needed(frames) bytes; null: nothing is logged.
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
  /// The memory of the log: the entries of the sender, then those of the reader. An end that has written nothing is
  /// zero.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept {
    return {reinterpret_cast<std::byte*>(sent_.data()), bytes_needed(sent_.size())};
  }

  /// All entries of the sender, merged with those of the reader, in the order of their numbers.
  [[nodiscard]] std::vector<LoggedFrame> collect(const LinkKey& key) const;

 private:
  struct Sent {
    std::uint64_t number_plus_one;  // 0: no entry
    std::int64_t at_ns;
    std::uint32_t refused_before;
  };
  struct Seen {
    std::uint64_t number_plus_one;
    std::int64_t at_ns;
    FrameFate fate;
  };
  std::span<Sent> sent_;
  std::span<Seen> seen_;
};

/// Copies of the logs of several links, all with the same number of frames.
class LinkLogs {
 public:
  explicit LinkLogs(std::size_t frames) : frames_(frames) {}

  /// The log of a link, empty at first; valid as long as this object.
  [[nodiscard]] LinkLog at(const LinkKey& key);
  /// Adds a log with `frames` frames. Those of the two ends of a link, which two hosts have, become one.
  void add(const LinkKey& key, const LinkLog& log);
  /// Adds what packed() of another process has returned.
  void add(std::span<const std::byte> packed);
  [[nodiscard]] std::vector<std::byte> packed() const;
  /// All frames by link, in the order of their numbers, with times relative to the first one.
  [[nodiscard]] std::vector<LoggedFrame> collect();

 private:
  std::size_t frames_;
  std::map<LinkKey, std::vector<std::byte>> logs_;
};

class LoggingConnector final : public ConnectorDecorator {
 public:
  using Place = std::function<LinkLog(const LinkKey&)>;
  using Now = std::function<std::int64_t()>;

  /// `place` returns the log of a link, in the same memory for both ends; `now` returns the time in ns. `inner` must
  /// outlive the connector. Either all workers wrap their connectors or none.
  LoggingConnector(Connector& inner, Place place, Now now)
      : ConnectorDecorator(inner), place_(std::move(place)), now_(std::move(now)) {}

  [[nodiscard]] AnySender sender(const LinkSpec& link) override;
  [[nodiscard]] AnyReceiver receiver(const LinkSpec& link) override;

 private:
  Place place_;
  Now now_;
};

}  // namespace laxity
