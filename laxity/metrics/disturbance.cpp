#include "laxity/metrics/disturbance.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "laxity/clock/clock.hpp"

namespace laxity {
namespace {

std::int64_t tick_ns() {
  static const std::int64_t ns = 1'000'000'000 / std::max(1L, ::sysconf(_SC_CLK_TCK));
  return ns;
}

double load_of_a_minute() {
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

// From cpufreq, which knows the current frequency; else from /proc/cpuinfo, which in virtual machines has a constant.
double mean_frequency_mhz(const cpu_set_t& processors) {
  double sum = 0;
  int count = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &processors)) continue;
    double khz = 0;
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_cur_freq");
    if (!(file >> khz)) break;
    sum += khz / 1e3;
    ++count;
  }
  if (count == 0) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string text; std::getline(file, text);) {
      double mhz = 0;
      if (std::sscanf(text.c_str(), "cpu MHz : %lf", &mhz) != 1) continue;
      sum += mhz;
      ++count;
    }
  }
  return count == 0 ? 0 : sum / count;
}

std::int64_t ns_of(const timeval& time) { return time.tv_sec * 1'000'000'000 + time.tv_usec * 1'000; }

}  // namespace

std::string_view Disturbance::kind() const noexcept {
  const bool stolen = steal > max_steal;
  const bool others = other_processors > max_others * processors + resolution;
  return stolen && others ? "steal+others" : stolen ? "steal" : others ? "others" : "none";
}

cpu_set_t usable_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  static_cast<void>(::sched_getaffinity(0, sizeof allowed, &allowed));
  return allowed;
}

DisturbanceMeter::DisturbanceMeter(const cpu_set_t& processors) : processors_(processors), begin_(read()) {}

DisturbanceMeter::Reading DisturbanceMeter::read() const {
  Reading reading;
  reading.time_ns = SteadyClock{}.now_ns();
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    ::getrusage(who, &usage);
    reading.cpu_ns += ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
    reading.involuntary_switches += static_cast<std::uint64_t>(usage.ru_nivcsw);
  }
  std::ifstream file("/proc/stat");
  for (std::string text; std::getline(file, text);) {
    int cpu = 0;
    long long user = 0, nice = 0, system = 0, irq = 0, softirq = 0, stolen = 0;
    if (std::sscanf(text.c_str(), "cpu%d %lld %lld %lld %*d %*d %lld %lld %lld", &cpu, &user, &nice, &system, &irq,
                    &softirq, &stolen) != 7)
      continue;
    if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &processors_)) continue;
    ++reading.processors;
    reading.busy_ns += (user + nice + system + irq + softirq) * tick_ns();
    reading.stolen_ns += stolen * tick_ns();
  }
  return reading;
}

std::int64_t DisturbanceMeter::own_cpu_ns() const { return read().cpu_ns - begin_.cpu_ns; }

Disturbance DisturbanceMeter::since_begin(std::int64_t cpu_ns) const {
  const Reading end = read();
  Disturbance found;
  found.processors = std::max(1, end.processors);
  found.load = load_of_a_minute();
  found.frequency_mhz = mean_frequency_mhz(processors_);
  found.involuntary_switches = end.involuntary_switches - begin_.involuntary_switches;
  const auto elapsed_ns = static_cast<double>(std::max<std::int64_t>(1, end.time_ns - begin_.time_ns));
  const auto busy_ns = static_cast<double>(end.busy_ns - begin_.busy_ns);
  const auto stolen_ns = static_cast<double>(end.stolen_ns - begin_.stolen_ns);
  found.steal = std::clamp(stolen_ns / elapsed_ns / found.processors, 0.0, 1.0);
  found.other_processors = std::max(0.0, (busy_ns - static_cast<double>(cpu_ns)) / elapsed_ns);
  // Each of the counts of a processor may lack a tick at the beginning and have one more at the end.
  found.resolution = 2 * static_cast<double>(tick_ns()) * found.processors / elapsed_ns;
  return found;
}

void add_rows(DisturbancesTable& table, std::int64_t run, std::span<const Disturbance> of_host, int attempts) {
  for (std::size_t host = 0; host < of_host.size(); ++host) {
    const Disturbance& disturbance = of_host[host];
    table.add(column<"run">(run), column<"attempts">(attempts), column<"disturbance">(disturbance.kind()),
              column<"processors">(disturbance.processors), column<"load">(disturbance.load),
              column<"steal">(disturbance.steal), column<"other_processors">(disturbance.other_processors),
              column<"involuntary_switches">(disturbance.involuntary_switches),
              column<"frequency_mhz">(disturbance.frequency_mhz), column<"host">(host));
  }
  table.flush();
}

}  // namespace laxity
