// How the traced processes of a job find out, without a message, that they are traced together and whether that is all
// of MPI_COMM_WORLD. Only then may the tracer call collectives: in a job of which a part is traced, they would be
// matched with collectives of the program (docs/decisions/0022-agreement-without-messages.md).
//
// The processes meet in a folder beside the trace files, whose name identifies the job (job_key()):
//  1. Each process creates a file with the number of its rank, exclusively.
//  2. Rank 0 counts the files. If there is one for every rank, it proposes to agree; whoever has waited for long enough
//     proposes not to. A proposal is the creation of a symbolic link whose target is the proposal.
//  3. The first link is the decision of all; everyone reads it.
// Source: Herlihy, Wait-free synchronization (1991): a compare-and-swap, here the creation of a link, solves consensus.
//
// Invariants: bounded waiting. `all` is true in every process of MPI_COMM_WORLD or in none: the decision to agree
// presupposes that all have registered, and who has registered follows the decision.
// Threads: the thread that initializes MPI. Elsewhere: when it is used (session.cpp).
#pragma once

#include <cstdint>
#include <string>

namespace laxity::trace::preload {

struct Agreement {
  std::uint64_t job = 0;  ///< the same in all processes that meet
  bool all = false;       ///< whether all processes of MPI_COMM_WORLD take part
  std::string folder;     ///< where they met; empty if nowhere
};

/// What the processes of one job have in common and no other job has, according to the launcher: never empty.
[[nodiscard]] std::string job_key();

/// One of the processes that meet.
struct Participant {
  std::string key;  ///< job_key()
  std::uint32_t rank = 0, size = 1;
  bool is_able = true;  ///< false: it makes the others decide not to agree
};

/// Meets the other processes with this key in a folder in `directory`, which exists. Waits for at most `patience_ns`.
[[nodiscard]] Agreement agree(const std::string& directory, const Participant& self, std::int64_t patience_ns);

/// Removes the folder. To be called by one process after all have read the decision to agree.
void remove_meeting(const Agreement& agreement, std::uint32_t size);

}  // namespace laxity::trace::preload
