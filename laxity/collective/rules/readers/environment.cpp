// Reads environment variables that choose algorithms: MPICH's MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM=<name> and Intel
// MPI's I_MPI_ADJUST_<COLLECTIVE>="<id>:<smallest>-<largest>@<processes>-<processes>,...;...". One per line, with or
// without `export`.
//
// Source: the pages on I_MPI_ADJUST in the Intel MPI Library Developer Reference, and on variables in MPICH's
// README.envvar.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "laxity/collective/rules/detail/rules_reader.hpp"

namespace laxity::collective::detail {
namespace {

using laxity::detail::quoted;
using laxity::detail::TextScanner;

bool is_name(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

// Whether Intel MPI has a variable for the algorithm of this collective.
bool is_intel_collective(std::string_view name) {
  static constexpr std::array<std::string_view, 17> names{
      "ALLGATHER", "ALLGATHERV", "ALLREDUCE", "ALLTOALL", "ALLTOALLV", "ALLTOALLW",      "BARRIER",
      "BCAST",     "EXSCAN",     "GATHER",    "GATHERV",  "REDUCE",    "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK",
      "SCAN",      "SCATTER",    "SCATTERV"};
  for (const std::string_view prefix : {"I", "NEIGHBOR_"}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Parses "<id>[:<range>[@<range>],...][;...]". An algorithm without conditions applies to all calls; 0 is Intel MPI's
// own choice.
class AdjustReader {
 public:
  AdjustReader(RulesReader& reader, std::string_view value, bool has_messages)
      : reader_(reader), at_(value.data()), end_(at_ + value.size()), has_messages_(has_messages) {}

  void read() {
    for (;;) {
      const std::string_view algorithm = number("the number of an algorithm");
      bool is_bounded = false;
      if (skip(':') && at_ != end_ && *at_ != ';') {
        is_bounded = true;
        do {
          const bool from_zero = range("a number of bytes").starts_with('0');
          const bool has_processes = skip('@');
          if (has_processes) static_cast<void>(range("a number of processes"));
          is_bounded = is_bounded && has_processes && !(from_zero && has_messages_);
        } while (skip(','));
      }
      if (!is_bounded && algorithm != "0") {
        reader_.warn(algorithm.data(), "algorithm " + std::string(algorithm) +
                                           " applies to calls that were not measured; write "
                                           "<id>:<from>-<to>@<processes>-<processes>, with <from> above 0");
      }
      if (at_ == end_) return;
      if (!skip(';')) reader_.fail(at_, "expected ';' before the next algorithm, or the end of the value");
      if (at_ == end_) return;
    }
  }

 private:
  bool skip(char wanted) {
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }

  std::string_view number(const std::string& what) {
    const char* const first = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    if (at_ == first) reader_.fail(at_, "expected " + what + ", an integer");
    return {first, static_cast<std::size_t>(at_ - first)};
  }

  // Returns the lower end.
  std::string_view range(const std::string& what) {
    const char* const first = at_;
    const std::string_view low = number(what);
    if (!skip('-')) return low;
    const std::string_view high = number(what);
    if (high.size() < low.size() || (high.size() == low.size() && high < low)) {
      reader_.warn(first, "the range is empty: it ends below its beginning");
    }
    return low;
  }

  RulesReader& reader_;
  const char* at_;
  const char* end_;
  bool has_messages_;
};

void check_value(RulesReader& reader, std::string_view name, std::string_view value) {
  if (value.empty()) reader.fail(value.data(), "expected a value after '='");
  constexpr std::string_view adjust = "I_MPI_ADJUST_";
  if (name.starts_with(adjust)) {
    const std::string_view rest = name.substr(adjust.size());
    if (is_intel_collective(rest)) return AdjustReader(reader, value, !rest.ends_with("BARRIER")).read();
    // The names of segment sizes, radixes and lists of algorithms begin with the name of a collective.
    for (std::size_t end = rest.find('_'); end != std::string_view::npos; end = rest.find('_', end + 1)) {
      if (is_intel_collective(rest.substr(0, end))) return;
    }
    reader.warn(name.data(), "Intel MPI has no collective " + std::string(rest) + " and ignores the line");
  } else if (name.ends_with("_INTRA_ALGORITHM")) {
    const bool is_word = std::all_of(value.begin(), value.end(), [](unsigned char c) {
      return c == '_' || std::islower(c) != 0 || std::isdigit(c) != 0;
    });
    if (!is_word) reader.fail(value.data(), "expected the name of an algorithm in lower case; found " + quoted(value));
    if (value != "auto") {
      reader.warn(
          name.data(),
          "applies to all message sizes and communicators, of which most were not measured; MPICH distinguishes "
          "them in a selection file");
    }
  }
}

}  // namespace

void read_environment(RulesReader& reader) {
  TextScanner& text = reader.scanner();
  std::set<std::string_view> seen;
  for (; !text.at_end(); text.next_line()) {
    text.skip_blanks();
    if (text.at_line_end() || text.peek() == '#') continue;
    std::string_view word = text.word();
    if (word == "export") word = text.word();
    const auto equals = word.find('=');
    if (equals == std::string_view::npos || !is_name(word.substr(0, equals))) {
      reader.fail(word.data(), "expected NAME=value; found " + quoted(word));
    }
    const std::string_view name = word.substr(0, equals);
    std::string_view value = word.substr(equals + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    if (!name.starts_with("MPIR_CVAR_") && !name.starts_with("I_MPI_")) {
      reader.warn(word.data(), "neither MPICH nor Intel MPI reads " + std::string(name));
    }
    if (!seen.insert(name).second) reader.warn(word.data(), "replaces an earlier value of " + std::string(name));
    check_value(reader, name, value);
    reader.result().settings.emplace_back(name, value);
    text.skip_blanks();
    if (!text.at_line_end() && text.peek() != '#') {
      reader.fail(text.at(), "expected the end of the line; quote values with blanks, and write one setting per line");
    }
  }
  const bool chooses = std::any_of(seen.begin(), seen.end(), [](std::string_view name) {
    return name.starts_with("MPIR_CVAR_") && name.ends_with("_INTRA_ALGORITHM");
  });
  if (chooses && !seen.contains("MPIR_CVAR_DEVICE_COLLECTIVES")) {
    reader.warn(reader.text().data(),
                "device collectives of MPICH take precedence; add MPIR_CVAR_DEVICE_COLLECTIVES=none");
  }
}

}  // namespace laxity::collective::detail
