// What the readers of all kinds of rules files share: the text, where traps are noted, and the checks of Open MPI's rules
// that hold in every form.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::collective::detail {

class RulesReader {
 public:
  RulesReader(std::string_view text, const std::string& file, RulesCheck& check)
      : text_(text), scanner_(file, text), check_(check) {}

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] laxity::detail::TextScanner& scanner() noexcept { return scanner_; }
  [[nodiscard]] OpenMpiRules& rules() noexcept { return check_.rules; }

  void trap(const char* where, std::string what) {
    constexpr std::size_t most = 100;
    if (check_.traps.size() >= most) return;
    const auto [line, column] = scanner_.place_of(where);
    check_.traps.push_back({line, column, std::move(what)});
  }

  [[noreturn]] void fail(const char* where, const std::string& what) const { scanner_.fail(where, what); }

  /// The algorithm of a rule: a fault if releases of this form do not know it, which ends the program; a trap if it needs
  /// what the rule does not give it. `largest` is the largest communicator to which the rule applies.
  void check_algorithm(const char* where, int collective_id, const MessageRule& rule, int smallest, int largest,
                       OpenMpiForm form);

  static constexpr int unlimited = std::numeric_limits<int>::max();

 private:
  std::string_view text_;
  laxity::detail::TextScanner scanner_;
  RulesCheck& check_;
};

void read_classic_rules(RulesReader& reader, OpenMpiForm form);
void read_openmpi_json(RulesReader& reader);
void read_mpich_json(RulesReader& reader);
void read_environment(RulesReader& reader);

}  // namespace laxity::collective::detail
