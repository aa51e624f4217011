// Which anchor a tag leads to: tag distance, and regulators that favor or disfavor an anchor.
//
// Source: SignalGP's regulated tag matching (Lalejini, Moreno and Ofria, Tag-based regulation of modules in genetic
// programming, GPEM 2021) with the additive regulator of DISHTINY: distance + max(0.1 * state, -0.25), clamped to
// [-0.1, 1.1]; a negative state favors an anchor.
// Invariants: a regulator whose countdown is 0 has state 0. A version names one set of regulators: 0 if all states are
// 0, else a number that no other set of this CPU has had, so that a remembered match is valid as long as the version is
// equal.
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
static_assert(global_match_limit <= 0.5F && local_match_limit <= 0.5F, "regulated_distance() knows no others");

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

/// The distance of a tag to an anchor, regulated; more than 0.5 if it is not exact.
[[nodiscard]] inline float regulated_distance(Tag anchor, Tag tag, float offset) noexcept {
  const float distance = offset < 0 ? tag_distance(anchor, tag) : tag_distance_up_to_half(anchor, tag);
  return std::clamp(distance + offset, -0.1F, 1.1F);
}

/// The nearest of `anchors` whose distance is at most `limit`, the first of equals; -1: none. offset(i) is that of
/// anchor i. The limit is at most 0.5.
template <class Offset>
[[nodiscard]] int nearest_anchor(std::span<const Anchor> anchors, Tag tag, float limit, Offset offset) noexcept {
  int nearest = -1;
  float smallest = std::nextafter(limit, 2.F);
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const float distance = regulated_distance(anchors[i].tag, tag, offset(i));
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
  /// Calls visit(anchor) for each active regulator.
  template <class Visit>
  void for_each_active(Visit visit) const {
    int left = active_;
    for (int anchor = 0; left > 0; ++anchor) {
      if (!(*this)[anchor].active()) continue;
      visit(anchor);
      --left;
    }
  }
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
      if (entries_[i].anchor == anchor) return entries_[i];
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
    entries_[count_++] = {regulator, static_cast<std::uint16_t>(anchor)};
  }
  void decay_all() noexcept {
    for (std::size_t i = 0; i < count_; ++i) entries_[i].decay(1);
    remove_if([](const Entry& entry) { return !entry.active(); });
  }

 private:
  struct Entry : Regulator {
    std::uint16_t anchor = 0;
  };
  static_assert(sizeof(Entry) == 8, "a core should be small, because worlds have many");
  template <class Predicate>
  void remove_if(Predicate predicate) noexcept {
    Entry* const end = std::remove_if(entries_.data(), entries_.data() + count_, predicate);
    count_ = static_cast<std::uint8_t>(end - entries_.data());
  }
  std::array<Entry, 4> entries_{};
  std::uint8_t count_ = 0;
};

/// Where a tag is looked up: the anchors, and under which regulators.
struct MatchSpace {
  enum Kind : std::uint16_t { internal, exposed, regulated_internal, regulated_exposed, module, none };
  Kind kind = none;
  std::uint32_t number = 0;  ///< of the regulators' version, or of the module
};

/// Remembers which anchor a tag led to. Direct-mapped.
class MatchCache {
 public:
  void clear() noexcept { entries_.fill({}); }
  /// The remembered match, or find() and remember it.
  template <class Find>
  [[nodiscard]] int get(Tag tag, MatchSpace space, Find find) {
    // Odd factors spread the bits. The version has no part, so that a new one replaces the old one.
    const std::uint64_t place = space.kind + (space.kind == MatchSpace::module ? std::uint64_t{space.number} : 0);
    const std::uint64_t key = tag * 0x9e3779b97f4a7c15U + place * 0xd1342543de82ef95U;
    Entry& entry = entries_[key >> (64 - index_bits)];
    if (entry.tag != tag || entry.kind != space.kind || entry.number != space.number) {
      entry = {tag, space.number, space.kind, static_cast<std::uint16_t>(find())};
    }
    return entry.match == no_match ? -1 : entry.match;
  }

 private:
  static constexpr int index_bits = 6;
  static constexpr auto no_match = static_cast<std::uint16_t>(-1);
  static_assert(max_program_length <= no_match, "a match is the number of an anchor");
  struct Entry {
    Tag tag = 0;
    std::uint32_t number = 0;
    MatchSpace::Kind kind = MatchSpace::none;
    std::uint16_t match = no_match;
  };
  static_assert(sizeof(Entry) == 16);
  std::array<Entry, std::size_t{1} << index_bits> entries_{};
};

}  // namespace laxity::evolution
