#include "laxity/metrics/worker_probe.hpp"

namespace laxity {

WorkerProbe::WorkerProbe(CounterTable table, int id)
    : table_(table),
      counters_(&table.worker(id)),
      answered_(counters_->answered.load(std::memory_order_relaxed)),
      id_(static_cast<std::uint32_t>(id)) {}

void WorkerProbe::answer(std::int64_t now_ns) noexcept {
  if (table_.links() != links_known_) find_links();
  const std::uint64_t request =
      counters_->request.load(std::memory_order_acquire);  // O1: the last answers have been read
  counters_->answer = {now_ns, counters_->updates.read()};
  for (LinkRow* row : outgoing_) row->inlet_answer = observe(row->inlet);
  for (LinkRow* row : incoming_) row->outlet_answer = observe(row->outlet);
  answered_ = request;
  counters_->answered.store(request, std::memory_order_release);  // O2: publishes the answers
}

// Links are claimed during set-up, so this search of the whole table happens once or twice in a run.
void WorkerProbe::find_links() {
  links_known_ = table_.links();
  outgoing_.clear();
  incoming_.clear();
  table_.for_each_link([this](const LinkKey& key, LinkRow& row) {
    if (key.from_worker == id_) outgoing_.push_back(&row);
    if (key.to_worker == id_) incoming_.push_back(&row);
  });
}

}  // namespace laxity
