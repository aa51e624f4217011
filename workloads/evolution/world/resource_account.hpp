// Where the resource of a worker comes from and where it goes, term by term.
//
// Invariants: stock = start + base_harvest + group_harvest + apoptosis + received - decay - group_size - diversity - spawn
//   - defense - sent - lost, where stock is the sum of the stockpiles of the worker's cells, to rounding. Over all workers,
//   sent - received - receipt_decay is in transit.
// Threads: one worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace laxity::evolution {

/// What changes the stock of a worker.
enum class ResourceTerm : std::uint8_t {
  start,          ///< of the first cells and of newborns
  base_harvest,   ///< of every cell
  group_harvest,  ///< of kin groups
  apoptosis,      ///< created for the heirs of cells that requested their own death
  received,       ///< from neighbors, after the decay on receipt
  decay,          ///< of every stockpile
  group_size,     ///< of cells whose group is too large
  diversity,      ///< of cells whose lineage is too common
  spawn,          ///< paid for offspring
  defense,        ///< paid to repel the offspring of neighbors
  sent,           ///< to neighbors, and to heirs
  lost,           ///< with cells that died without heirs
  receipt_decay,  ///< of what was on its way; not part of the stock
};
inline constexpr std::array<std::string_view, 13> resource_term_names{
    "start",     "base_harvest", "group_harvest", "apoptosis", "received", "decay",        "group_size",
    "diversity", "spawn",        "defense",       "sent",      "lost",     "receipt_decay"};

class ResourceAccount {
 public:
  void add(ResourceTerm term, double amount) noexcept { amounts_[static_cast<std::size_t>(term)] += amount; }
  [[nodiscard]] double operator[](ResourceTerm term) const noexcept { return amounts_[static_cast<std::size_t>(term)]; }
  ResourceAccount& operator+=(const ResourceAccount& other) noexcept {
    for (std::size_t i = 0; i < amounts_.size(); ++i) amounts_[i] += other.amounts_[i];
    return *this;
  }

  /// The stock that follows from all terms.
  [[nodiscard]] double stock() const noexcept {
    double sum = 0;
    for (std::size_t i = 0; i < amounts_.size(); ++i) {
      const auto term = static_cast<ResourceTerm>(i);
      if (term <= ResourceTerm::received) sum += amounts_[i];
      if (term >= ResourceTerm::decay && term <= ResourceTerm::lost) sum -= amounts_[i];
    }
    return sum;
  }
  /// Sent by this worker and not received by it: its share of what is in transit. The sum over workers is in transit.
  [[nodiscard]] double in_transit() const noexcept {
    return (*this)[ResourceTerm::sent] - (*this)[ResourceTerm::received] - (*this)[ResourceTerm::receipt_decay];
  }

 private:
  std::array<double, resource_term_names.size()> amounts_{};
};

}  // namespace laxity::evolution
