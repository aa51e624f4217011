#include "laxity/cli/rank_options.hpp"

namespace laxity::cli {

RankOptions RankWords::options(int threads_per_rank) const {
  return {.threads = threads_per_rank,
          .ranks_per_host = shared_memory == "on" ? 0 : 1,
          .variant = messages,
          .one_thread_sends = threads == "one"};
}

void add_rank_options(Command& command, RankWords& words) {
  const auto group = "MPI ranks";
  command
      .add_option("--shared-memory", words.shared_memory,
                  "Shared memory between ranks of one host: on, or off to use MPI only, for comparison")
      ->group(group)
      ->capture_default_str()
      ->one_of({"on", "off"});
  command
      .add_option("--messages", words.messages,
                  "Messages between hosts: two_sided, ready_send or one_sided, for comparison")
      ->group(group)
      ->suggest({"two_sided", "ready_send", "one_sided"});
  command
      .add_option("--mpi-threads", words.threads,
                  "Threads of a rank that send to other hosts: all, which needs MPI_THREAD_MULTIPLE, or one, which "
                  "relays for the others; an MPI that does not grant all has one")
      ->group(group)
      ->capture_default_str()
      ->one_of({"all", "one"});
}

}  // namespace laxity::cli
