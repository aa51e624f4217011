// The studies of two hosts: ranks on the same host and on different ones, and a host that stands still.
//
// Elsewhere: the command lines (options.cpp), how a run is started (launch/launched_run.hpp), how a study is run
// (color/run.hpp), how a host is frozen (workloads/coloring/worker_fault.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace laxity::cli {

struct HostsOptions {
  std::string same;       ///< launcher of two ranks on one host
  std::string different;  ///< launcher of ranks on two hosts; emulated hosts if empty
  std::vector<std::uint32_t> nodes{1};
  int replicates = 10;
  double duration_s = 2, window_s = 0.5;
  double frozen_s = 2;        ///< for which a host is stopped
  int ranks = 2;              ///< per host: each has a neighbor that is not stopped
  std::string loss = "0.01";  ///< share of packets lost between emulated hosts
  std::uint64_t seed = 1;
  std::string output;
  bool paper = false, report = false, quiet = false;
  int argc = 0;
  const char* const* argv = nullptr;
};

/// Two ranks on the same host, compared with two ranks on different hosts. Returns the exit code.
int run_hosts_study(const HostsOptions& options);

/// The ranks of one host while the ranks of another one are stopped, compared with normal runs. Returns the exit code.
/// Throws UsageError if a run is not longer than a host is stopped.
int run_faulty_host_study(const HostsOptions& options);

}  // namespace laxity::cli
