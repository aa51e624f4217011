// Brings the records of births of all workers of a run together, also from forked processes and other ranks.
//
// Each worker of this process and of those that it forks writes to a temporary file, which is opened before the team starts and
// which the system removes.
// Threads: put() is called once by each worker, everything else by the thread that runs the team.
// Elsewhere: the record of one worker (birth_record.hpp).
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "laxity/launch/ranks.hpp"
#include "workloads/evolution/lineage/birth_record.hpp"

namespace laxity::evolution {

class BirthCollection {
 public:
  /// Of a team with `workers`, before it starts. Throws SystemError.
  explicit BirthCollection(int workers);

  /// Stores the record of a worker. Throws SystemError.
  void put(int worker, const BirthRecord& record) const;

  /// After the team has ended: the births of each worker, empty for one that was lost. With ranks, collective and complete at
  /// rank 0. Throws SystemError.
  [[nodiscard]] std::vector<std::vector<BirthRecord::Birth>> take(Ranks* ranks, int threads) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  [[nodiscard]] std::vector<BirthRecord::Birth> read(int worker) const;

  std::vector<std::unique_ptr<std::FILE, Close>> files_;
};

}  // namespace laxity::evolution
