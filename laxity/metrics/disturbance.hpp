// What else a machine did while a program was measured: processor time that went to other programs or, in a virtual
// machine, to other machines.
//
// Source: Linux, proc(5) (/proc/stat, /proc/loadavg, /proc/cpuinfo), getrusage(2), cpufreq in /sys.
// Invariants: counts the processors that the program may use, and no others. What cannot be read is 0.
// Threads: any.
// Elsewhere: the table of all runs (disturbances in tables.json).
#pragma once

#include <sched.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"

namespace laxity {

/// Of one run.
struct Disturbance {
  int processors = 1;                      ///< that the program may use
  double load = 0;                         ///< average number of runnable processes during the last minute, at the end
  double steal = 0;                        ///< share of the processors' time that the hypervisor gave to other machines
  double other_processors = 0;             ///< mean number of processors that were busy with other programs
  std::uint64_t involuntary_switches = 0;  ///< of this process and its children
  double frequency_mhz = 0;                ///< mean over the processors, at the end
  double resolution = 0;  ///< of other_processors: by how much it may be off because the kernel counts in ticks

  static constexpr double max_steal = 0.01;
  static constexpr double max_others = 0.05;  ///< of the processors

  /// "none", "steal", "others" or "steal+others": which of the two is above its limit.
  [[nodiscard]] std::string_view kind() const noexcept;
};

/// The processors that this thread may use.
[[nodiscard]] cpu_set_t usable_processors();

/// Measures from its construction on.
class DisturbanceMeter {
 public:
  /// `processors`: those that the program may use. The ranks of an MPI may each be bound to one.
  explicit DisturbanceMeter(const cpu_set_t& processors = usable_processors());

  /// Processor time since construction of this process and of the children that it has waited for, ns.
  [[nodiscard]] std::int64_t own_cpu_ns() const;

  /// `cpu_ns` is the processor time of all processes on this host that belong to the program.
  [[nodiscard]] Disturbance since_begin(std::int64_t cpu_ns) const;
  [[nodiscard]] Disturbance since_begin() const { return since_begin(own_cpu_ns()); }

 private:
  struct Reading {
    std::int64_t time_ns = 0;
    std::int64_t cpu_ns = 0;  // of this process and its children
    std::uint64_t involuntary_switches = 0;
    std::int64_t busy_ns = 0;  // of the processors, with any program
    std::int64_t stolen_ns = 0;
    int processors = 0;
  };
  [[nodiscard]] Reading read() const;

  cpu_set_t processors_;
  Reading begin_;
};

using DisturbancesTable = TableWriter<tables::disturbances>;

/// A row for each host. `attempts`: how often the run was made, of which the last one counts.
void add_rows(DisturbancesTable& table, std::int64_t run, std::span<const Disturbance> of_host, int attempts = 1);

}  // namespace laxity
