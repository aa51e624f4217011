// Reads selection files of MPICH 4 (MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE): nested objects whose names are
// conditions such as "comm_size<8", with algorithms such as "algorithm=MPIR_Reduce_intra_binomial" as leaves.
#include <array>
#include <set>
#include <string_view>

#include "laxity/collective/rules/detail/json_text.hpp"
#include "laxity/collective/rules/detail/rules_reader.hpp"

namespace laxity::collective::detail {
namespace {

using laxity::detail::quoted;

// MPICH looks up every call in the file and aborts if the file has no entry for it.
constexpr std::array<std::string_view, 17> blocking{
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw",      "barrier",
    "bcast",     "exscan",     "gather",    "gatherv",  "reduce",    "reduce_scatter", "reduce_scatter_block",
    "scan",      "scatter",    "scatterv"};

// The part of a condition before its operator: "comm_size" of "comm_size<=8".
std::string_view subject(std::string_view condition) { return condition.substr(0, condition.find_first_of("<=")); }

void read_conditions(RulesReader& reader, const JsonValue& value) {
  if (value.kind != JsonValue::Kind::object) reader.fail(value.at, "expected an object of conditions");
  bool ends = false;
  const JsonMember* last = nullptr;
  for (const JsonMember& member : value.members) {
    const std::string_view what = subject(member.key);
    if (what == member.key) {
      reader.fail(member.key_at,
                  "expected a condition such as \"comm_size<8\", or \"algorithm=...\"; found " + quoted(member.key));
    }
    if (ends) reader.warn(member.key_at, "is never reached: the previous condition always holds");
    ends = what == "algorithm" || member.key.ends_with("=any");
    last = &member;
    if (what != "algorithm") read_conditions(reader, member.value);
  }
  if (last == nullptr) {
    reader.fail(value.at, "expected conditions or an algorithm; MPICH aborts if it finds neither");
  }
  const std::string_view comparison = last->key.substr(subject(last->key).size());
  if (comparison.starts_with('<')) {
    reader.warn(last->key_at, "expected a last condition that always holds, \"" + std::string(subject(last->key)) +
                                  "=any\"; MPICH aborts if no condition holds");
  }
}

}  // namespace

void read_mpich_json(RulesReader& reader) {
  const JsonValue file = parse_json(reader.text(), reader.scanner());
  std::set<std::string_view> seen;
  for (const JsonMember& member : file.members) {
    constexpr std::string_view mark = "collective=";
    if (!member.key.starts_with(mark)) {
      reader.fail(member.key_at, "expected \"collective=...\"; found " + quoted(member.key));
    }
    seen.insert(member.key.substr(mark.size()));
    read_conditions(reader, member.value);
  }
  for (const std::string_view collective : blocking) {
    if (seen.contains(collective)) continue;
    reader.fail(file.at, "expected an entry for " + std::string(collective) +
                             ", without which MPICH aborts in its first call; insert the choices into MPICH's own "
                             "selection instead");
  }
}

}  // namespace laxity::collective::detail
