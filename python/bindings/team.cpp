#include "python/bindings/team.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/channel/channel.hpp"
#include "laxity/launch/team.hpp"
#include "laxity/launch/timed_run.hpp"
#include "laxity/launch/worker.hpp"
#include "laxity/metrics/team_tables.hpp"
#include "python/bindings/array_channel.hpp"

namespace laxity::python {
namespace {

BlockKey key_of(int from, int to, std::uint32_t number) {
  return {"array channel", static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), number};
}

// Array channels are counted in this layer; those of meshes have higher numbers (laxity/mesh.py).
constexpr std::uint32_t channel_layer = 0;

LinkRow& row_of(const Worker& worker, int from, int to, std::uint32_t number) {
  const int other = from == worker.id() ? to : from;
  const LinkKey key{channel_layer, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), number};
  return worker.counter_table().link(key, worker.neighbor_kind(other), 1);
}

void require_other(const Worker& worker, int other) {
  if (other >= 0 && other < worker.size() && other != worker.id()) return;
  raise("UsageError", "worker " + std::to_string(worker.id()) + " of " + std::to_string(worker.size()) +
                          " cannot have a channel with worker " + std::to_string(other));
}

ArrayInlet sink_of(Worker& worker, int to, const nb::object& initial, std::uint32_t number, std::size_t depth,
                   const std::string& overflow, bool send_on_change) {
  require_other(worker, to);
  const auto type = std::make_shared<const ArrayType>(initial);
  const ChannelOptions options = options_for(*type, depth, overflow, send_on_change);
  return with_ring(options.overflow, [&]<class Ring>() {
    Inlet<Bytes> inlet(shared_sender<Ring>(worker.arena(), key_of(worker.id(), to, number),
                                           detail::shape_for<Bytes>(options), type->payload_type()),
                       send_on_change);
    inlet.count_in(row_of(worker, worker.id(), to, number).inlet);
    return ArrayInlet(std::move(inlet), type);
  });
}

ArrayOutlet source_of(Worker& worker, int from, nb::object initial, std::uint32_t number, std::size_t depth,
                      const std::string& overflow) {
  require_other(worker, from);
  const auto type = std::make_shared<const ArrayType>(initial);
  const ChannelOptions options = options_for(*type, depth, overflow, false);
  return with_ring(options.overflow, [&]<class Ring>() {
    Outlet<Bytes> outlet(shared_receiver<Ring>(worker.arena(), key_of(from, worker.id(), number),
                                               detail::shape_for<Bytes>(options), type->payload_type()));
    outlet.count_in(row_of(worker, from, worker.id(), number).outlet);
    return ArrayOutlet(std::move(outlet), type, std::move(initial));
  });
}

// Tells the interpreter about the forks of a team: before the first, after the last, and in every child. From then on
// the supervising thread gives up the interpreter's lock while it sleeps, so that other threads of the program can run.
class ForkingInterpreter {
 public:
  ForkingInterpreter() { PyOS_BeforeFork(); }
  ForkingInterpreter(const ForkingInterpreter&) = delete;
  ForkingInterpreter& operator=(const ForkingInterpreter&) = delete;
  ~ForkingInterpreter() { lock(); }

  static void forked_child() { PyOS_AfterFork_Child(); }
  void lock() {
    if (!has_forked_) PyOS_AfterFork_Parent();
    has_forked_ = true;
    if (PyThreadState* const state = std::exchange(unlocked_, nullptr)) PyEval_RestoreThread(state);
  }
  void unlock() { unlocked_ = PyEval_SaveThread(); }

 private:
  bool has_forked_ = false;
  PyThreadState* unlocked_ = nullptr;
};

// A team whose counters are observed while it runs.
class ObservedTeam {
 public:
  ObservedTeam(const TeamOptions& options, std::int64_t window_ns)
      : team_(options), forks_(options.processes != 0), window_ns_(window_ns) {}

  [[nodiscard]] Team& team() noexcept { return team_; }

  TeamReport run(const nb::callable& body, const nb::object& supervise, std::optional<double> duration_s);

  /// The snapshots of the run, so far or after it; none before.
  [[nodiscard]] std::vector<LinkSnapshot> snapshots() const {
    return timed_ ? timed_->snapshots() : std::vector<LinkSnapshot>{};
  }

 private:
  TeamReport run_processes(const nb::callable& body, const nb::object& supervise);
  TeamReport run_threads(const nb::callable& body, const nb::object& supervise);

  Team team_;
  bool forks_;  // its workers are processes
  std::int64_t window_ns_;
  std::optional<TimedRun> timed_;
};

std::int64_t ns_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds)).count();
}

TeamReport ObservedTeam::run(const nb::callable& body, const nb::object& supervise, std::optional<double> duration_s) {
  // Without a duration the windows follow each other until the team ends by itself.
  const std::int64_t endless_ns = std::numeric_limits<std::int64_t>::max() / window_ns_ * window_ns_;
  timed_.emplace(team_,
                 TimedRunOptions{.duration_ns = duration_s ? ns_of(*duration_s) : endless_ns, .window_ns = window_ns_},
                 TimedRun::OnTick{});
  return forks_ ? run_processes(body, supervise) : run_threads(body, supervise);
}

TeamReport ObservedTeam::run_processes(const nb::callable& body, const nb::object& supervise) {
  ForkingInterpreter interpreter;
  return team_.run(
      [&](Worker& worker) {
        ForkingInterpreter::forked_child();
        body(nb::cast(&worker, nb::rv_policy::reference));
      },
      [&] {
        interpreter.lock();
        timed_->tick();
        if (!supervise.is_none()) supervise();
        interpreter.unlock();
      });
}

TeamReport ObservedTeam::run_threads(const nb::callable& body, const nb::object& supervise) {
  const nb::gil_scoped_release unlocked;
  return team_.run(
      [&](Worker& worker) {
        const nb::gil_scoped_acquire lock;
        body(nb::cast(&worker, nb::rv_policy::reference));
      },
      [&] {
        const nb::gil_scoped_acquire lock;
        timed_->tick();
        if (!supervise.is_none()) supervise();
      });
}

/// One tuple per link: layer, from, to, channel, and the counters of both ends.
nb::list links_of(const Team& team) {
  nb::list rows;
  team.counter_table().for_each_link([&](const LinkKey& key, LinkRow& row) {
    const InletObservation sent = observe(row.inlet);
    const OutletObservation received = observe(row.outlet);
    rows.append(nb::make_tuple(key.layer, key.from_worker, key.to_worker, key.channel, sent.attempted, sent.refused,
                               sent.unchanged, received.pulls, received.laden, received.received, received.superseded));
  });
  return rows;
}

nb::object to_python(std::string_view word) { return nb::str(word.data(), word.size()); }
nb::object to_python(double number) { return nb::float_(number); }
nb::object to_python(std::integral auto number) { return nb::int_(number); }

/// One tuple per link and snapshot: the cells of a row of qos.csv.
nb::list quality_of(const ObservedTeam& team) {
  nb::list rows;
  for (const LinkSnapshot& snapshot : team.snapshots())
    with_qos_row(0, snapshot, [&]<class... Cells>(const Cells&... cells) {
      static_assert(is_row_of<Cells...>(tables::qos));
      rows.append(nb::make_tuple(to_python(cells.value)...));
    });
  return rows;
}

// Processes of one thread each, or with `processes` 0 threads of this process.
std::unique_ptr<ObservedTeam> make_team(int processes, int threads, bool end_on_loss, double grace_s,
                                        std::size_t arena_bytes, double window_s) {
  const TeamOptions options{
      .threads = threads,
      .processes = processes,
      .arena_bytes = arena_bytes,
      .on_loss = end_on_loss ? LossPolicy::end : LossPolicy::go_on,
      .grace = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(grace_s))};
  return std::make_unique<ObservedTeam>(options, ns_of(window_s));
}

}  // namespace

void bind_teams(nb::module_& module) {
  nb::class_<Worker>(module, "Worker")
      .def_prop_ro("id", &Worker::id)
      .def_prop_ro("size", &Worker::size)
      .def_prop_ro("name", &Worker::name)
      .def_prop_ro("updates", &Worker::updates)
      .def_prop_ro("stop_requested", &Worker::stop_requested)
      .def("barrier", &Worker::barrier, nb::call_guard<nb::gil_scoped_release>())
      .def("update_done", &Worker::update_done)
      .def("sink", &sink_of, nb::arg("to"), nb::arg("initial"), nb::arg("number"), nb::arg("depth"),
           nb::arg("overflow"), nb::arg("send_on_change"))
      .def("source", &source_of, nb::arg("from_"), nb::arg("initial"), nb::arg("number"), nb::arg("depth"),
           nb::arg("overflow"));
  nb::class_<WorkerEnd>(module, "WorkerEnd")
      .def_prop_ro("name", [](const WorkerEnd& end) { return end.place.name(); })
      .def_prop_ro("state", [](const WorkerEnd& end) { return std::string(name_of(end.state)); })
      .def_prop_ro("what", [](const WorkerEnd& end) { return end.what; });
  nb::class_<TeamReport>(module, "TeamReport")
      .def_prop_ro("workers",
                   [](const TeamReport& report) {
                     nb::list workers;
                     for (const WorkerEnd& end : report.workers) workers.append(nb::cast(end));
                     return workers;
                   })
      .def_prop_ro("interrupted", [](const TeamReport& report) { return report.interrupted; })
      .def_prop_ro("interruption", &TeamReport::interruption);
  nb::class_<ObservedTeam>(module, "Team")
      .def(nb::new_(&make_team), nb::arg("processes"), nb::arg("threads"), nb::arg("end_on_loss"), nb::arg("grace_s"),
           nb::arg("arena_bytes"), nb::arg("window_s"))
      .def_prop_ro("size", [](ObservedTeam& team) { return team.team().size(); })
      .def_prop_ro("all_are_updating", [](ObservedTeam& team) { return team.team().all_are_updating(); })
      .def("request_stop", [](ObservedTeam& team) { team.team().request_stop(); })
      .def("links", [](ObservedTeam& team) { return links_of(team.team()); })
      .def("quality", &quality_of)
      .def("run", &ObservedTeam::run, nb::arg("body"), nb::arg("supervise").none(), nb::arg("duration_s").none());
}

}  // namespace laxity::python
