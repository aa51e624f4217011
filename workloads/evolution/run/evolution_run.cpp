#include "workloads/evolution/run/evolution_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>

#include "laxity/clock/clock.hpp"
#include "laxity/error.hpp"
#include "laxity/launch/rank_snapshots.hpp"
#include "laxity/launch/timed_run.hpp"
#include "laxity/mesh/worker_connector.hpp"
#include "laxity/random.hpp"
#include "workloads/evolution/lineage/birth_collection.hpp"
#include "workloads/evolution/world/checkpoint.hpp"

namespace laxity::evolution {
namespace {

// The history of a worker, of fixed size: when it is full every second entry goes, and the interval doubles.
class History {
 public:
  [[nodiscard]] bool is_due(std::uint64_t update) const noexcept { return update % interval_ == 0; }
  void add(const HistoryEntry& entry) noexcept {
    if (size_ == entries_.size()) {
      size_ /= 2;
      for (std::size_t i = 0; i < size_; ++i) entries_[i] = entries_[2 * i];
      interval_ *= 2;
      if (!is_due(entry.update)) return;
    }
    entries_[size_++] = entry;
  }
  void add_last(const HistoryEntry& entry) noexcept {
    if (size_ == entries_.size() || (size_ != 0 && entries_[size_ - 1].update == entry.update)) --size_;
    entries_[size_++] = entry;
  }
  [[nodiscard]] std::vector<HistoryEntry> entries() const { return {entries_.begin(), entries_.begin() + size_}; }

 private:
  std::array<HistoryEntry, 128> entries_;
  std::uint32_t size_;
  std::uint64_t interval_;
  friend struct WorkerRecord;
};

// What a worker leaves in shared memory, which is zero before.
struct WorkerRecord {
  EvolutionWorkerResult result;
  History history;
  PictureProgress pictures;
  void begin(const Parameters& parameters, std::uint32_t update) noexcept {
    history.interval_ = 1;
    pictures.begin = update;
    pictures.interval = parameters.periods.birth;  // nobody is born in between
  }
};
static_assert(std::is_trivially_copyable_v<WorkerRecord> && std::is_trivially_copyable_v<CellAtEnd> &&
              std::is_trivially_copyable_v<PicturedCell>);

// The records of all workers and the cells at the end, in shared memory.
class Records {
 public:
  Records(Arena& arena, int workers, std::uint32_t nodes, std::uint32_t pictures)
      : workers_(block<WorkerRecord>(arena, "workers", static_cast<std::size_t>(workers))),
        cells_(block<CellAtEnd>(arena, "cells", nodes)),
        room_(block<PicturedCell>(arena, "pictures", std::size_t{pictures} * nodes)),
        pictures_(room_, nodes) {}

  [[nodiscard]] std::span<WorkerRecord> workers() const noexcept { return workers_; }
  [[nodiscard]] std::span<CellAtEnd> cells() const noexcept { return cells_; }
  [[nodiscard]] const PictureRecord& pictures() const noexcept { return pictures_; }
  /// Merges the records of all hosts, on all hosts. Collective.
  void allreduce_or(Team& team) const {
    team.allreduce_or(std::as_writable_bytes(workers_));
    team.allreduce_or(std::as_writable_bytes(cells_));
    if (!room_.empty()) team.allreduce_or(std::as_writable_bytes(room_));
  }

 private:
  template <class T>
  static std::span<T> block(Arena& arena, const char* kind, std::size_t count) {
    if (count == 0) return {};
    std::byte* const memory = arena.find_or_create(BlockKey(kind), count * sizeof(T), [](std::byte*) {});
    return {reinterpret_cast<T*>(memory), count};
  }
  std::span<WorkerRecord> workers_;
  std::span<CellAtEnd> cells_;
  std::span<PicturedCell> room_;
  PictureRecord pictures_;
};

CellAtEnd at_end(const Cell& cell, std::uint32_t update) noexcept {
  if (!cell.alive) return {};
  return {.lineage = cell.genome.descent.lineage,
          .individual = cell.genome.descent.individual,
          .strata = cell.genome.descent.strata,
          .kin = cell.genome.kin.ids,
          .stockpile = cell.stockpile,
          .age = update - cell.born,
          .program_length = static_cast<std::uint32_t>(cell.program->size()),
          .generations = static_cast<std::uint32_t>(cell.genome.descent.births()),
          .alive = 1};
}

// The checkpoints of a run, as this process knows them before the team starts.
struct Checkpoints {
  explicit Checkpoints(const EvolutionRun& run, int workers)
      : identity(identity_of_world(run.parameters, run.seed, run.record_births)),
        directory(run.checkpoint, static_cast<std::uint32_t>(workers), identity) {
    if (!run.checkpoint.empty()) newest = directory.newest();
    if (run.resume.empty()) return;
    const CheckpointDirectory resumed(run.resume, static_cast<std::uint32_t>(workers), identity);
    for (int worker = 0; worker < workers; ++worker) {
      const bool is_here = run.team.ranks == nullptr || worker / run.team.threads == run.team.ranks->map().rank;
      states.push_back(is_here ? resumed.read(static_cast<std::uint32_t>(worker)) : std::vector<std::byte>());
    }
  }

  std::uint64_t identity;
  CheckpointDirectory directory;
  std::uint64_t newest = 0;                    // number of the one that is in the directory
  std::vector<std::vector<std::byte>> states;  // of the workers of this process, to be resumed
};

class EvolutionWorker {
 public:
  EvolutionWorker(const EvolutionRun& run, const EvolutionMesh& mesh, const Records& records,
                  const BirthCollection& births, Checkpoints& checkpoints, Worker& worker)
      : run_(run),
        records_(records),
        births_(births),
        directory_(checkpoints.directory),
        checkpoint_(checkpoints.newest),
        worker_(worker),
        connector_(worker),
        world_(mesh, connector_, run.parameters, run.seed, run.ancestors,
               run.record_births
                   ? BirthRecord(static_cast<std::uint32_t>(worker.id()), static_cast<std::uint32_t>(worker.size()))
                   : BirthRecord()),
        jitter_(SeededRandom(run.seed).bits() ^ static_cast<std::uint64_t>(worker.id())) {
    world_.part().communicate(communicates(run.pacing.mode));
    if (run.resume.empty()) return;
    read_state(world_, checkpoints.states[static_cast<std::size_t>(worker.id())]);
    begin_update_ = world_.age();
  }

  void work() {
    if (!worker_.barrier()) return;
    WorkerRecord& record = records_.workers()[static_cast<std::size_t>(worker_.id())];
    record.begin(run_.parameters, world_.age());
    const LocalNodes& nodes = world_.part().local_nodes();
    records_.pictures().take(world_, nodes, record.pictures);
    begin_ns_ = clock_.now_ns();
    {
      Pacer pacer(run_.pacing, worker_.pacing_barrier());
      bool whole = true;
      while (whole && !worker_.stop_requested() && (run_.updates == 0 || world_.age() < run_.updates)) {
        world_.update();
        if (run_.jitter_ns != 0) wait();
        worker_.update_done();
        if (record.history.is_due(world_.age())) record.history.add(entry());
        records_.pictures().take(world_, nodes, record.pictures);
        whole = pacer.after_update();
        if (run_.checkpoint_interval != 0 && world_.age() % run_.checkpoint_interval == 0 && whole)
          whole = checkpoint();
      }
    }
    if (!run_.checkpoint.empty()) static_cast<void>(checkpoint());
    record.result = {.updates = world_.age() - begin_update_,
                     .elapsed_ns = clock_.now_ns() - begin_ns_,
                     .account = world_.account(),
                     .stock = world_.stock(),
                     .hash = world_.hash()};
    record.history.add_last(entry());
    for (std::uint32_t i = 0; i < world_.cells().size(); ++i) {
      records_.cells()[nodes.id(i)] = at_end(world_.cells()[i], world_.age());
    }
    if (run_.record_births) births_.put(worker_.id(), world_.births());
  }

 private:
  // All workers stand still meanwhile, so the parts show one moment: nothing is received that was not sent. What is on its way
  // between workers is no part of it, and so resource, which must not get lost, is received first. False: the team is ending.
  [[nodiscard]] bool checkpoint() {
    auto& resource = world_.part().layer<resource_layer>();
    const bool across = communicates(run_.pacing.mode);
    if (!worker_.barrier()) return false;
    resource.pull(across);
    if (!worker_.barrier()) return false;
    resource.flush(across);  // there is room for what was refused before
    if (!worker_.barrier()) return false;
    resource.pull(across);
    directory_.write(world_, ++checkpoint_);
    if (!worker_.barrier()) return false;
    if (worker_.id() == 0) static_cast<void>(directory_.publish(checkpoint_));  // a lost worker has no part
    return true;
  }
  [[nodiscard]] HistoryEntry entry() const noexcept {
    return {world_.age(), clock_.now_ns() - begin_ns_, world_.census(), world_.tallies()};
  }
  void wait() noexcept {
    const double mean = static_cast<double>(run_.jitter_ns);
    const std::int64_t until_ns = clock_.now_ns() - std::llround(mean * std::log(1 - jitter_.unit()));
    while (clock_.now_ns() < until_ns) continue;
  }

  const EvolutionRun& run_;
  const Records& records_;
  const BirthCollection& births_;
  const CheckpointDirectory& directory_;
  std::uint64_t checkpoint_;  // number of the last one
  Worker& worker_;
  WorkerConnector connector_;
  World world_;
  SeededRandom jitter_;
  SteadyClock clock_;
  std::int64_t begin_ns_ = 0;
  std::uint32_t begin_update_ = 0;
};

}  // namespace

std::uint64_t EvolutionResult::updates() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& worker : workers) sum += worker.updates;
  return sum;
}

double EvolutionResult::updates_per_second_per_worker() const noexcept {
  double sum = 0;
  for (const auto& worker : workers) {
    if (worker.elapsed_ns > 0) {
      sum += static_cast<double>(worker.updates) * 1e9 / static_cast<double>(worker.elapsed_ns);
    }
  }
  return workers.empty() ? 0 : sum / static_cast<double>(workers.size());
}

void check(const EvolutionRun& run) {
  check(run.parameters);
  if (run.duration_ns <= 0) throw UsageError("duration: must be positive");
  if (run.window_ns < 0) throw UsageError("window: must not be negative");
  if (run.jitter_ns < 0) throw UsageError("jitter: must not be negative");
  if (run.send_depth == 0) throw UsageError("send depth 0: must be at least 1");
  if (run.checkpoint_interval != 0 && run.checkpoint.empty())
    throw UsageError("checkpoint interval: without checkpoints");
  for (const Genome& ancestor : run.ancestors) {
    if (ancestor.program.size() > run.parameters.mutation.max_length) {
      throw UsageError("ancestor: a program of " + std::to_string(ancestor.program.size()) +
                       " instructions is longer than max_length, " +
                       std::to_string(run.parameters.mutation.max_length));
    }
  }
}

EvolutionResult run_evolution(const EvolutionRun& run, const std::function<void(double)>& progress) {
  check(run);
  const EvolutionMesh mesh(run.topology, run.partition, layer_options(run.parameters, run.send_depth));
  Team team(run.team);
  const Records records(team.arena(), team.size(), run.topology.nodes(), run.pictures);
  const BirthCollection births(run.record_births ? team.size() : 0);
  std::optional<Checkpoints> checkpoints;
  const auto find_checkpoints = [&] { checkpoints.emplace(run, team.size()); };
  run.team.ranks != nullptr ? run.team.ranks->agree(find_checkpoints) : find_checkpoints();
  TimedRun timed(team, {.duration_ns = run.duration_ns, .window_ns = run.window_ns},
                 [&](std::int64_t, double fraction) {
                   if (progress) progress(fraction);
                 });
  EvolutionResult result;
  result.team =
      team.run([&](Worker& worker) { EvolutionWorker(run, mesh, records, births, *checkpoints, worker).work(); },
               [&] {
                 if (run.updates == 0) timed.tick();  // else workers end by themselves
               });
  result.placement = team.placement().description;
  result.snapshots = timed.snapshots();
  if (Ranks* const ranks = run.team.ranks; ranks != nullptr && !ranks->has_lost_a_rank()) {
    records.allreduce_or(team);
    result.snapshots = snapshots_of_all_ranks(*ranks, run.team.threads, result.snapshots);
  }
  std::vector<PictureProgress> pictures;
  for (const WorkerRecord& record : records.workers()) {
    result.workers.push_back(record.result);
    result.histories.push_back(record.history.entries());
    pictures.push_back(record.pictures);
  }
  if (run.pictures != 0) result.pictures = records.pictures().pictures(run.partition, pictures);
  const bool can_collect = run.team.ranks == nullptr || !run.team.ranks->has_lost_a_rank();
  if (run.record_births && can_collect) result.births = births.take(run.team.ranks, run.team.threads);
  result.cells.assign(records.cells().begin(), records.cells().end());
  return result;
}

}  // namespace laxity::evolution
