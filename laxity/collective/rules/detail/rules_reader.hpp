// The base of the readers of all kinds of rules files: the text, the result, errors and warnings, and the check of Open
// MPI's algorithms.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "laxity/collective/rules/rules_check.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::collective::detail {

class RulesReader {
 public:
  RulesReader(std::string_view text, const std::string& file, RulesCheck& check)
      : text_(text), scanner_(file, text), check_(check) {}

  [[nodiscard]] std::string_view text() const noexcept { return text_; }
  [[nodiscard]] laxity::detail::TextScanner& scanner() noexcept { return scanner_; }
  [[nodiscard]] RulesCheck& result() noexcept { return check_; }

  void warn(const char* where, std::string what) {
    constexpr std::size_t max_warnings = 100;
    if (check_.warnings.size() >= max_warnings) return;
    const auto [line, column] = scanner_.place_of(where);
    check_.warnings.push_back({line, column, std::move(what)});
  }

  [[noreturn]] void fail(const char* where, const std::string& what) const { scanner_.fail(where, what); }

  /// Checks the algorithm of a rule for communicators of `smallest` to `largest` processes. An unknown algorithm, with
  /// which Open MPI aborts, is an error; unsuitable parameters or process counts are warnings.
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
