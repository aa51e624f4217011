// Rules files of Open MPI's component coll/tuned: which algorithm it uses for which communicator and message.
//
// Three forms of the same rules. Version 1 (Open MPI 1.x - 4.x): whole numbers and '#' comments,
//   NCOLL { COLLID NCOMM { COMMSIZE NMSG { MSGSIZE ALG FANINOUT SEGSIZE } } }
// version 2 (5.x): the same after a first line "rule-file-version-2", with an optional number of requests at the end of a
// rule; and JSON (6.x). The largest COMMSIZE and then MSGSIZE that are not above the call's decide. Algorithm 0: the
// library's own choice.
//
// Sizes of messages are counted as the component counts them (message_size_in_rules). Open MPI ignores a file that it
// cannot read or understand without a word and ends with exit code 0; check_rules (rules_check.hpp) is louder.
//
// Source: ompi/mca/coll/tuned/coll_tuned_dynamic_file.c of the releases, and trials of 4.1.4.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective {

/// A rule for messages from a size on, up to that of the next rule.
struct MessageRule {
  std::uint64_t from_bytes = 0;
  int algorithm = 0;
  int fanout = 0;         ///< of chains and trees; 0 turns a chain into a pipeline
  int segment_bytes = 0;  ///< 0: messages are not cut
  int max_requests = 0;   ///< version 2 and later: 0 is the library's own
  friend bool operator==(const MessageRule&, const MessageRule&) = default;
};

/// Rules for communicators from a size on, up to that of the next entry.
struct CommunicatorRules {
  int from_processes = 0;
  std::vector<MessageRule> messages;
  friend bool operator==(const CommunicatorRules&, const CommunicatorRules&) = default;
};

struct CollectiveRules {
  int collective_id = 0;  ///< Open MPI's
  std::vector<CommunicatorRules> communicators;
  friend bool operator==(const CollectiveRules&, const CollectiveRules&) = default;
};

struct OpenMpiRules {
  std::vector<CollectiveRules> collectives;
  friend bool operator==(const OpenMpiRules&, const OpenMpiRules&) = default;
};

enum class OpenMpiForm { version_1, version_2, json };

/// Open MPI's number for a collective.
[[nodiscard]] int openmpi_id(Collective collective) noexcept;

/// Open MPI's name for a collective of this number, as in JSON; empty if there is none.
[[nodiscard]] std::string_view openmpi_collective_name(int collective_id) noexcept;

/// The highest number of an algorithm that releases of this form know for a collective; 0 if they let none be chosen.
[[nodiscard]] int openmpi_highest_algorithm(int collective_id, OpenMpiForm form) noexcept;

/// The size by which rules go: of the vector for allreduce, bcast and reduce, of all blocks together where there is one
/// for each process, 0 for barrier. `bytes` as in Operation.
[[nodiscard]] std::uint64_t message_size_in_rules(Collective collective, int processes, std::size_t bytes) noexcept;

/// Which of the choices becomes a rule.
enum class ChoiceKind { robust, no_delay, traced };

/// Rules that follow the choices. What was not measured stays the library's: communicators smaller than the smallest or
/// larger than the largest, and messages of more than twice the largest size. Between two measured sizes the limit lies at
/// their geometric mean. Throws UsageError if a choice of this kind was not measured.
[[nodiscard]] OpenMpiRules openmpi_rules(const std::vector<Selection>& selections, ChoiceKind kind);

/// The text of a rules file. `comment` goes first, line by line (JSON has no place for it).
[[nodiscard]] std::string format_rules(const OpenMpiRules& rules, OpenMpiForm form, std::string_view comment = {});

}  // namespace laxity::collective
