#include "apps/laxity/study/best_effort/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/laxity/study/launched_study.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/placement.hpp"

namespace laxity::cli {
namespace {

constexpr std::size_t deep = 64;  // frames on their way: with one node a worker, two make neighbors starve each other

struct Length {
  int replicates;
  double duration_s, window_s, interval_s;
};
// Slightly over five minutes, a snapshot of a second at the end of each.
constexpr Length paper_quality{10, 302, 1, 60};

template <class T>
std::vector<T> given_or(const std::vector<T>& given, std::vector<T> otherwise) {
  return given.empty() ? std::move(otherwise) : given;
}

ColorStudy study_of_length(const ExperimentSize& size, const Length& length) {
  ColorStudy study;
  study.replicates = size.replicates == 0 ? length.replicates : size.replicates;
  study.duration_s = size.duration_s == 0 ? length.duration_s : size.duration_s;
  study.window_s = size.window_s == 0 ? length.window_s : size.window_s;
  study.interval_s = size.interval_s == 0 && size.duration_s == 0 ? length.interval_s : size.interval_s;
  study.replay.enabled = size.replayed;
  return study;
}

ColorStudy quality_study(const ExperimentSize& size, const Length& length) {
  constexpr Length replayed{10, 0.5, 0.1, 0};
  ColorStudy study = study_of_length(size, size.replayed ? replayed : size.paper ? paper_quality : length);
  study.layer.send_depth = deep;
  return study;
}

Shape shape_of(const std::string& team, int workers) {
  if (workers < 1) throw UsageError(fmt::format("--workers {}: at least 1", workers));
  if (team == "threads") return {workers, 0};
  if (team == "processes") return {1, workers};
  if (team == "ranks") return {1, workers, true};
  throw UsageError("--teams " + team + ": must be threads, processes or ranks");
}

std::vector<std::string> teams_of(const ExperimentSize& size, std::vector<std::string> otherwise) {
  return size.replayed ? std::vector<std::string>{"threads"} : given_or(size.teams, std::move(otherwise));
}

ColorStudy performance(const ExperimentSize& size) {
  ColorStudy study = study_of_length(size, size.paper ? Length{5, 5, 1, 0} : Length{5, 1, 0.5, 0});
  study.layer.send_depth = 2;
  for (const std::string& team : teams_of(size, {"threads", "processes"}))
    for (const int workers : given_or(size.workers, size.paper ? std::vector{1, 4, 16, 64} : std::vector{1, 2}))
      for (const std::uint32_t nodes : given_or(size.nodes, {2048})) {
        for (const PacingMode mode : all_modes)
          study.treatments.push_back({shape_of(team, workers), mode, nodes, 0, false, {}});
        if (workers > 1)
          study.treatments.push_back({.shape = shape_of(team, workers),
                                      .mode = PacingMode::isolated,
                                      .nodes_per_worker = nodes,
                                      .own_tori = true});
      }
  return study;
}

ColorStudy work(const ExperimentSize& size) {
  ColorStudy study = quality_study(size, {5, 3, 1, 0});
  study.one_way_latency = true;
  for (const std::string& team : teams_of(size, {"processes"}))
    for (const int workers : given_or(size.workers, {2}))
      for (const std::uint32_t nodes : given_or(size.nodes, {1}))
        for (const int hosts : given_or(size.hosts, {1}))
          for (const std::uint64_t units : given_or(size.units, {0, 64, 4096, 262'144, 16'777'216}))
            study.treatments.push_back({.shape = shape_of(hosts == 1 ? team : "ranks", workers),
                                        .mode = PacingMode::none,
                                        .nodes_per_worker = nodes,
                                        .work = units,
                                        .hosts = hosts});
  return study;
}

ColorStudy threads_against_processes(const ExperimentSize& size) {
  ColorStudy study = quality_study(size, {10, 2, 0.5, 0});
  study.one_way_latency = true;
  for (const bool mutex : {false, true})
    for (const std::string& team : teams_of(size, {"threads", "processes", "ranks"})) {
      if (team == "ranks" && (mutex || (size.teams.empty() && !can_launch_ranks())))
        continue;  // they exchange messages
      for (const int workers : given_or(size.workers, {2}))
        for (const std::uint32_t nodes : given_or(size.nodes, {1}))
          study.treatments.push_back({shape_of(team, workers), PacingMode::none, nodes, 0, mutex, {}});
    }
  return study;
}

ColorStudy weak_scaling(const ExperimentSize& size) {
  ColorStudy study = quality_study(size, {5, 2, 0.5, 0});
  study.one_way_latency = true;
  const bool large = size.paper || size.replayed;
  for (const std::string& team : teams_of(size, {"processes"}))
    for (const std::uint32_t nodes : given_or(size.nodes, size.replayed ? std::vector{1U} : std::vector{1U, 2048U}))
      for (const int workers : given_or(size.workers, large ? std::vector{16, 64, 256} : std::vector{2, 4, 8}))
        study.treatments.push_back({shape_of(team, workers), PacingMode::none, nodes, 0, false, {}});
  return study;
}

// The workers of an experiment on a fault: as many as there are cores, so that none waits for another to be
// descheduled.
int workers_with_cores() { return std::clamp(allowed_cores(), 2, 64); }

WorkerFault fault_of(const ExperimentSize& size, WorkerFault::Kind fault, int workers) {
  return {fault, workers / 2, size.pause_ns};
}

ColorStudy faulty(const ExperimentSize& size) {
  ColorStudy study = quality_study(size, {10, 2, 0.5, 0});
  study.one_way_latency = true;
  for (const std::string& team : teams_of(size, {"processes"}))
    for (const int workers : given_or(size.workers, {size.paper ? 256 : size.replayed ? 64 : workers_with_cores()}))
      for (const std::uint32_t nodes : given_or(size.nodes, {1}))
        for (const WorkerFault::Kind fault :
             {WorkerFault::Kind::none, WorkerFault::Kind::slow, WorkerFault::Kind::link, WorkerFault::Kind::stop}) {
          if (fault == WorkerFault::Kind::stop && team == "threads") continue;  // a thread cannot be stopped alone
          if (fault == WorkerFault::Kind::link && size.replayed) continue;  // a replayed run impairs all links or none
          study.treatments.push_back(
              {shape_of(team, workers), PacingMode::none, nodes, 0, false, fault_of(size, fault, workers)});
        }
  return study;
}

// Reactions that turn links against none, and with parts that may move against the same parts that stay.
ColorStudy react(const ExperimentSize& size) {
  constexpr std::uint32_t parts = 4;
  ColorStudy study = quality_study(size, {10, 2, 0.5, 0});
  for (const std::string& team : teams_of(size, {"processes"}))
    for (const int workers : given_or(size.workers, {size.replayed ? 64 : workers_with_cores()}))
      for (const std::uint32_t nodes : given_or(size.nodes, {64})) {
        const auto add = [&](WorkerFault::Kind fault, const std::vector<std::string>& reactions,
                             std::uint32_t parts_per_worker) {
          study.treatments.push_back({.shape = shape_of(team, workers),
                                      .mode = PacingMode::none,
                                      .nodes_per_worker = nodes,
                                      .fault = fault_of(size, fault, workers),
                                      .reactions = reactions,
                                      .parts_per_worker = parts_per_worker});
        };
        add(WorkerFault::Kind::none, {}, 1);
        add(WorkerFault::Kind::slow, {}, 1);
        for (const std::string_view reaction : reaction_names) add(WorkerFault::Kind::slow, {std::string(reaction)}, 1);
        if (size.replayed || nodes < parts) continue;  // virtual workers keep their nodes
        add(WorkerFault::Kind::none, {}, parts);
        add(WorkerFault::Kind::slow, {}, parts);
        add(WorkerFault::Kind::slow, {"migrate"}, parts);
      }
  return study;
}

}  // namespace

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all{
      {"performance", "Update rate and solution quality in each asynchronicity mode",
       "laxity study performance --workers 1,2,4 --teams threads --report", false, &performance},
      {"work", "Quality of service with more computation between messages",
       "laxity study work --units 0,64,4096 --replicates 10", false, &work},
      {"threads-vs-processes",
       "Quality of service of threads, with and without a mutex, of processes, and of MPI ranks that exchange messages",
       "laxity study threads-vs-processes --report", false, &threads_against_processes},
      {"weak-scaling", "Quality of service with more workers", "laxity study weak-scaling --replay --workers 16,64,256",
       true, &weak_scaling},
      {"faulty", "Effect of one slow or stopped worker, or of one on a bad link, on the others",
       "laxity study faulty --workers 8 --pause 5ms", true, &faulty},
      {"react",
       "Reactions to a slow worker: send less often, adapt the queue depth, keep the newest frames, migrate nodes",
       "laxity study react --workers 8 --pause 5ms --report", true, &react},
  };
  return all;
}

}  // namespace laxity::cli
