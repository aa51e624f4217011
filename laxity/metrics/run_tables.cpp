#include "laxity/metrics/run_tables.hpp"

#include "laxity/metrics/quality_of_service.hpp"

namespace laxity {
namespace {

enum Table : std::size_t { runs, workers, qos, picture, messages };

double per_second(std::uint64_t count, std::int64_t elapsed_ns) {
  return elapsed_ns > 0 ? static_cast<double>(count) * 1e9 / static_cast<double>(elapsed_ns) : 0.0;
}

std::filesystem::path file_of(const RunDirectory& directory, Table table) {
  return directory.path() / table_formats()[table].file;
}

const std::vector<std::string_view>& columns_of(Table table) { return table_formats()[table].columns; }

}  // namespace

const std::vector<TableFormat>& table_formats() {
  static const std::vector<TableFormat> formats{
      {"runs.csv",
       {"run",
        "mode",
        "mode_name",
        "shape",
        "threads",
        "processes",
        "workers",
        "replicate",
        "seed",
        "nodes_per_worker",
        "duration_ns",
        "nodes",
        "edges",
        "updates_total",
        "updates_per_second_per_worker",
        "conflicts",
        "work",
        "guard",
        "fault",
        "reaction",
        "parts_per_worker",
        "moves",
        "hosts",
        "status"}},
      {"workers.csv", {"run", "worker", "process", "thread", "updates", "elapsed_ns", "updates_per_second", "status"}},
      {"qos.csv",
       {"run",
        "snapshot",
        "layer",
        "from_worker",
        "to_worker",
        "channel",
        "neighbor_kind",
        "channels",
        "answered",
        "window_ns",
        "updates",
        "simstep_period_ns",
        "simstep_latency_updates",
        "walltime_latency_ns",
        "delivery_failure_rate",
        "delivery_clumpiness",
        "attempted",
        "accepted",
        "superseded",
        "pulls",
        "laden",
        "received",
        "touches"}},
      {"picture.csv", {"run", "when", "node", "x", "y", "color"}},
      {"messages.csv",
       {"run", "layer", "from_worker", "to_worker", "channel", "message", "sent_ns", "seen_ns", "refused_before",
        "fate"}},
  };
  return formats;
}

RunTables::RunTables(const RunDirectory& directory)
    : runs_(file_of(directory, Table::runs), columns_of(Table::runs)),
      workers_(file_of(directory, Table::workers), columns_of(Table::workers)),
      qos_(file_of(directory, Table::qos), columns_of(Table::qos)),
      picture_(file_of(directory, Table::picture), columns_of(Table::picture)),
      messages_(file_of(directory, Table::messages), columns_of(Table::messages)) {}

const TableFormat& workers_format() { return table_formats()[Table::workers]; }
const TableFormat& qos_format() { return table_formats()[Table::qos]; }

void RunTables::add(const WorkerRow& row) { add_row(workers_, row); }
void RunTables::add(std::int64_t run, const LinkSnapshot& snapshot) { add_row(qos_, run, snapshot); }

void add_row(CsvTable& workers, const WorkerRow& row) {
  workers.add(row.run, row.worker, row.process, row.thread, row.updates, row.elapsed_ns,
              per_second(row.updates, row.elapsed_ns), row.status);
}

void RunTables::add(const PictureRow& row) {
  picture_.add(row.run, row.after ? "after" : "before", row.node, row.x, row.y, row.color);
}

void RunTables::add(const MessageRow& row) {
  messages_.add(row.run, row.key.layer, row.key.from_worker, row.key.to_worker, row.key.channel, row.message,
                row.sent_ns, row.seen_ns, row.refused_before, row.fate);
}

void add_row(CsvTable& qos, std::int64_t run, const LinkSnapshot& s) {
  const std::uint64_t attempted = increase(s.inlet_before.attempted, s.inlet_after.attempted);
  const std::uint64_t refused = increase(s.inlet_before.refused, s.inlet_after.refused);
  const std::uint64_t superseded = increase(s.inlet_before.superseded, s.inlet_after.superseded) +
                                   increase(s.outlet_before.superseded, s.outlet_after.superseded);
  qos.add(
      run, s.snapshot, s.key.layer, s.key.from_worker, s.key.to_worker, s.key.channel, name_of(s.neighbor_kind),
      s.channels, s.answered ? 1 : 0, window_ns(s.receiver_before, s.receiver_after),
      increase(s.receiver_before.updates, s.receiver_after.updates),
      simstep_period_ns(s.receiver_before, s.receiver_after),
      simstep_latency_updates(s.receiver_before, s.receiver_after, s.outlet_before, s.outlet_after, s.summed_channels),
      walltime_latency_ns(s.receiver_before, s.receiver_after, s.outlet_before, s.outlet_after, s.summed_channels),
      delivery_failure_rate(s.inlet_before, s.inlet_after), delivery_clumpiness(s.outlet_before, s.outlet_after),
      attempted, increase(refused, attempted), superseded, increase(s.outlet_before.pulls, s.outlet_after.pulls),
      increase(s.outlet_before.laden, s.outlet_after.laden),
      increase(s.outlet_before.received, s.outlet_after.received),
      increase(s.outlet_before.touches, s.outlet_after.touches));
}

void RunTables::finish_run(const RunRow& row) {
  workers_.flush();
  qos_.flush();
  picture_.flush();
  messages_.flush();
  runs_.add(row.run, row.mode, row.mode_name, row.shape, row.threads, row.processes, row.workers, row.replicate,
            row.seed, row.nodes_per_worker, row.duration_ns, row.nodes, row.edges, row.updates_total,
            row.updates_per_second_per_worker, row.conflicts, row.work, row.guard, row.fault, row.reaction,
            row.parts_per_worker, row.moves, row.hosts, row.status);
  runs_.flush();
}

}  // namespace laxity
