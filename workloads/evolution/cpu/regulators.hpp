// Which anchor a tag leads to: tag distance, and regulators that favor or disfavor an anchor.
//
// Source: SignalGP's regulated tag matching (Lalejini, Moreno and Ofria, Tag-based regulation of modules in genetic
// programming, GPEM 2021) with the additive regulator of DISHTINY: distance + max(0.1 * state, -0.25), clamped to
// [-0.1, 1.1]; a negative state favors an anchor.
// Invariants: a regulator whose countdown is 0 has state 0. A version names one set of regulators: 0 if all states are 0,
// else a number that no other set of this CPU has had, so that a remembered match is valid as long as the version is equal.
// Threads: one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "laxity/mesh/migration/archive.hpp"
#include "workloads/evolution/cpu/program.hpp"

namespace laxity::evolution {

inline constexpr float global_match_limit = 0.2F;  ///< a global anchor at a larger distance does not match
inline constexpr float local_match_limit = 0.5F;   ///< the same for local anchors

/// The regulator of one anchor. A state that is not set again falls back to 0 after two decays.
class Regulator {
 public:
  static constexpr int decays_to_zero = 2;

  [[nodiscard]] float state() const noexcept { return state_; }
  [[nodiscard]] bool active() const noexcept { return countdown_ > 0; }
  void set(float state) noexcept {
    state_ = state;
    countdown_ = decays_to_zero;
  }
  void adjust(float by) noexcept { set(state_ + by); }
  /// Takes `steps` from the countdown; a negative number puts off the decay, up to 127 decays.
  void decay(float steps) noexcept {
    if (!active() || std::isnan(steps)) return;
    countdown_ = static_cast<std::int8_t>(std::clamp(static_cast<float>(countdown_) - steps, 0.F, 127.F));
    if (countdown_ == 0) state_ = 0;
  }
  /// What is added to the distance. A state that is not a number regulates nothing.
  [[nodiscard]] float offset() const noexcept { return std::isnan(state_) ? 0 : std::max(0.1F * state_, -0.25F); }

 private:
  float state_ = 0;
  std::int8_t countdown_ = 0;
};

/// The nearest of `anchors` whose distance is at most `limit`, the first of equals; -1: none. offset(i) is that of anchor i.
template <class Offset>
[[nodiscard]] int nearest_anchor(std::span<const Anchor> anchors, Tag tag, float limit, Offset offset) noexcept {
  int nearest = -1;
  float smallest = std::nextafter(limit, 2.F);
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const float distance = std::clamp(tag_distance(anchors[i].tag, tag) + offset(i), -0.1F, 1.1F);
    if (distance < smallest) {
      smallest = distance;
      nearest = static_cast<int>(i);
    }
  }
  return nearest;
}

/// The regulators of all global anchors of one jump table.
class GlobalRegulators {
 public:
  void reset(std::size_t anchors) {
    regulators_.assign(anchors, {});
    active_ = 0;
    version_ = 0;
  }
  [[nodiscard]] const Regulator& operator[](int anchor) const noexcept {
    return regulators_[static_cast<std::size_t>(anchor)];
  }
  /// Applies change(regulator). `last_version` is the CPU's counter of versions.
  template <class Change>
  void change(int anchor, std::uint32_t& last_version, Change change) {
    Regulator& regulator = regulators_[static_cast<std::size_t>(anchor)];
    active_ -= regulator.active();
    change(regulator);
    active_ += regulator.active();
    version_ = active_ > 0 ? ++last_version : 0;
  }
  void decay_all(std::uint32_t& last_version) {
    if (active_ == 0) return;
    active_ = 0;
    for (Regulator& regulator : regulators_) {
      regulator.decay(1);
      active_ += regulator.active();
    }
    version_ = active_ > 0 ? ++last_version : 0;
  }
  [[nodiscard]] std::uint32_t version() const noexcept { return version_; }
  /// Into the regulators of the same program.
  void serialize(Archive& archive) noexcept {
    archive.values(std::span(regulators_));
    archive.value(active_);
    archive.value(version_);
  }

 private:
  std::vector<Regulator> regulators_;
  int active_ = 0;
  std::uint32_t version_ = 0;
};

/// The regulators of the local anchors of one core's module. At most four are active; a fifth replaces the oldest.
class LocalRegulators {
 public:
  void reset() noexcept { count_ = 0; }
  [[nodiscard]] bool any() const noexcept { return count_ > 0; }
  [[nodiscard]] Regulator get(int anchor) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (entries_[i].anchor == anchor) return entries_[i].regulator;
    }
    return {};
  }
  template <class Change>
  void change(int anchor, Change change) noexcept {
    Regulator regulator = get(anchor);
    change(regulator);
    remove_if([&](const Entry& entry) { return entry.anchor == anchor; });
    if (!regulator.active()) return;
    if (count_ == entries_.size()) {
      std::move(entries_.begin() + 1, entries_.end(), entries_.begin());
      --count_;
    }
    entries_[count_++] = {static_cast<std::uint16_t>(anchor), regulator};
  }
  void decay_all() noexcept {
    for (std::size_t i = 0; i < count_; ++i) entries_[i].regulator.decay(1);
    remove_if([](const Entry& entry) { return !entry.regulator.active(); });
  }

 private:
  struct Entry {
    std::uint16_t anchor = 0;
    Regulator regulator{};
  };
  template <class Predicate>
  void remove_if(Predicate predicate) noexcept {
    Entry* const end = std::remove_if(entries_.data(), entries_.data() + count_, predicate);
    count_ = static_cast<std::uint8_t>(end - entries_.data());
  }
  std::array<Entry, 4> entries_{};
  std::uint8_t count_ = 0;
};

/// Remembers which anchor a tag led to. Direct-mapped; an entry is valid for one space (a jump table, or a module's local
/// anchors) and one version of its regulators.
class MatchCache {
 public:
  void clear() noexcept { entries_.fill({}); }
  /// The remembered match, or find() and remember it.
  template <class Find>
  [[nodiscard]] int get(Tag tag, std::uint32_t space, std::uint32_t version, Find find) {
    const std::uint64_t key = tag * 0x9e3779b97f4a7c15U + space * 0xd1342543de82ef95U;  // odd factors spread the bits
    Entry& entry = entries_[key >> (64 - index_bits)];
    if (entry.tag != tag || entry.space != space || entry.version != version) entry = {tag, space, version, find()};
    return entry.match;
  }

 private:
  static constexpr int index_bits = 6;
  static constexpr std::uint32_t no_space = 0xffffffffU;
  struct Entry {
    Tag tag = 0;
    std::uint32_t space = no_space;
    std::uint32_t version = 0;
    int match = -1;
  };
  std::array<Entry, std::size_t{1} << index_bits> entries_{};
};

}  // namespace laxity::evolution
