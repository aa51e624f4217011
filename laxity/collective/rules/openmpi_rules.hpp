// Rules files of Open MPI's component coll/tuned, which map communicator and message sizes to algorithms.
//
// The rules have three forms:
//   version 1 (Open MPI 1.x to 4.x): integers and '#' comments,
//     NCOLL { COLLID NCOMM { COMMSIZE NMSG { MSGSIZE ALG FANINOUT SEGSIZE } } }
//   version 2 (5.x): a first line "rule-file-version-2", then as version 1 with an optional number of requests per
//   rule; JSON (6.x).
// A call uses the entry of the largest COMMSIZE, and in it the rule of the largest MSGSIZE, that do not exceed its own.
// Algorithm 0 is the library's own choice. Message sizes are those of message_size_in_rules().
//
// Open MPI silently ignores a file that it cannot read or parse, and exits with code 0; check_rules() (rules_check.hpp)
// reports such files.
//
// Source: ompi/mca/coll/tuned/coll_tuned_dynamic_file.c of the releases, and trials of 4.1.4.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "laxity/collective/collective.hpp"
#include "laxity/collective/selection/selection.hpp"

namespace laxity::collective {

/// A rule for messages of from_bytes or more, up to the next rule.
struct MessageRule {
  std::uint64_t from_bytes = 0;
  int algorithm = 0;
  int fanout = 0;         ///< of chains and trees; 0 turns a chain into a pipeline
  int segment_bytes = 0;  ///< 0: messages are not segmented
  int max_requests = 0;   ///< since version 2; 0 is the library's default
  friend bool operator==(const MessageRule&, const MessageRule&) = default;
};

/// Rules for communicators of from_processes or more processes, up to the next entry.
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

/// Open MPI's name of the collective with this number, as in JSON; empty if there is none.
[[nodiscard]] std::string_view openmpi_collective_name(int collective_id) noexcept;

/// The highest algorithm number of a collective in releases that read this form; 0 if no algorithm can be chosen.
[[nodiscard]] int openmpi_highest_algorithm(int collective_id, OpenMpiForm form) noexcept;

/// The message size that Open MPI compares with the rules: of the vector for allreduce, bcast and reduce, of all blocks
/// together for collectives with a block per process, 0 for barrier. `bytes` is the size as in Operation.
[[nodiscard]] std::uint64_t message_size_in_rules(Collective collective, int processes, std::size_t bytes) noexcept;

/// The rules for choices of this kind. Each holds for the measured number of processes and for the messages that a
/// measured size stands for (ranges_of()); the library's own choice remains in force for all others. Throws UsageError
/// if no choice of this kind was measured.
[[nodiscard]] OpenMpiRules openmpi_rules(const std::vector<Selection>& selections, ChoiceKind kind);

/// The text of a rules file. It begins with the lines of `comment`, except in JSON, which has no comments.
[[nodiscard]] std::string format_rules(const OpenMpiRules& rules, OpenMpiForm form, std::string_view comment = {});

}  // namespace laxity::collective
