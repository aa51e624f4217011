// The connector and the schedule of a replayed run.
#include "laxity/mesh/replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "laxity/channel/pack_header.hpp"
#include "laxity/error.hpp"
#include "laxity/transport/limited_sender.hpp"

namespace laxity {
namespace {

// An impaired sender that publishes its counts after each frame, because its owner is out of reach.
template <Sender S>
class CountedSender : public ImpairedSender<S, ManualClock> {
 public:
  CountedSender(ReplayedLosses& losses, auto&&... arguments)
      : ImpairedSender<S, ManualClock>(std::forward<decltype(arguments)>(arguments)...), losses_(&losses) {}
  [[nodiscard]] std::byte* try_claim() noexcept { return frame_ = ImpairedSender<S, ManualClock>::try_claim(); }
  void publish(std::size_t bytes) noexcept {
    PackHeader header;
    std::memcpy(&header, frame_, sizeof header);
    ImpairedSender<S, ManualClock>::publish(bytes);
    if (this->counts().lost == losses_->frames) sent_ = header.messages;
    losses_->frames = this->counts().lost;
    losses_->newest_messages = header.messages - sent_;
  }

 private:
  ReplayedLosses* losses_;
  std::byte* frame_ = nullptr;
  std::uint32_t sent_ = 0;  // channel messages up to the last frame that was not lost
};

}  // namespace

class ReplayedRun::ReplayedConnector final : public Connector {
 public:
  ReplayedConnector(ReplayedRun& run, std::uint32_t worker) : run_(run), worker_(worker) {}

  [[nodiscard]] std::uint32_t worker() const override { return worker_; }
  [[nodiscard]] AnySender sender(const LinkSpec& spec) override {
    if (spec.limit != nullptr)
      return impaired(spec, LimitedSender(OverwritingRing::Sender(memory<OverwritingRing>(spec)), *spec.limit));
    return with_ring(spec.overflow,
                     [&]<class Ring>() { return impaired(spec, typename Ring::Sender(memory<Ring>(spec))); });
  }
  [[nodiscard]] AnyReceiver receiver(const LinkSpec& spec) override {
    return with_ring(ring_policy(spec), [&]<class Ring>() {
      return AnyReceiver(ImpairedReceiver(typename Ring::Receiver(memory<Ring>(spec)), run_.options_.faults,
                                          spec.frame_bytes, run_.clock_));
    });
  }
  [[nodiscard]] InletCounters& inlet_counters(const LinkSpec& spec) override { return run_.link(spec).inlet; }
  [[nodiscard]] OutletCounters& outlet_counters(const LinkSpec& spec) override { return run_.link(spec).outlet; }

 private:
  template <Sender S>
  [[nodiscard]] AnySender impaired(const LinkSpec& spec, S sender) {
    return CountedSender<S>(run_.link(spec).losses, std::move(sender), run_.options_.faults, seed_of(spec.key),
                            run_.clock_);
  }
  template <class Ring>
  std::byte* memory(const LinkSpec& spec) {
    auto& bytes = run_.link(spec).memory;
    if (bytes.empty()) {
      const RingShape shape{spec.depth, spec.frame_bytes + impairment_bytes};
      bytes.resize(Ring::bytes_needed(shape));
      Ring::initialize(bytes.data(), shape);
    }
    return bytes.data();
  }

  // Every link draws its own faults, independent of the order in which links are made.
  [[nodiscard]] std::uint64_t seed_of(const LinkKey& key) const {
    SeededRandom mix(run_.options_.seed);
    for (const std::uint32_t number : {key.layer, key.from_worker, key.to_worker, key.channel})
      mix = SeededRandom(mix.bits() ^ number);
    return mix.bits();
  }

  ReplayedRun& run_;
  std::uint32_t worker_;
};

ReplayedRun::ReplayedRun(ReplayOptions options)
    : options_(std::move(options)), random_(options_.seed), updates_(options_.workers) {
  meters_.assign(options_.workers, {QualityMeter(options_.quality_window_ns)});
  if (options_.workers == 0) throw UsageError("a replayed run needs at least one worker");
  if (options_.period_ns <= 0)
    throw UsageError("period " + std::to_string(options_.period_ns) + " ns: must be positive");
  if (!(options_.jitter >= 0 && options_.jitter < 1)) throw UsageError("jitter: must be at least 0 and below 1");
  if (!options_.slowness.empty() && options_.slowness.size() != options_.workers)
    throw UsageError("slowness: one factor for each worker, or none");
  for (const double factor : options_.slowness)
    if (!(factor > 0 && factor <= ReplayOptions::max_slowness))
      throw UsageError("slowness: must be above 0 and at most 1e6");
  detail::require_valid(options_.faults);
  for (std::uint32_t worker = 0; worker < options_.workers; ++worker) {
    connectors_.push_back(std::make_unique<ReplayedConnector>(*this, worker));
    turns_.push({time_of_update(worker), worker});
  }
}

ReplayedRun::~ReplayedRun() = default;

const WorkerQuality& ReplayedRun::quality(std::uint32_t worker) {
  WorkerMeter& own = meters_.at(worker);
  if (!own.meter.is_due(updates(worker))) return own.meter.quality();
  if (links_.size() != own.links_known) {
    own.links_known = links_.size();
    own.meter.watch(links_of(worker));
  }
  own.meter.update(updates(worker), clock_.now_ns());
  return own.meter.quality();
}

std::vector<WatchedLink> ReplayedRun::links_of(std::uint32_t worker) const {
  std::vector<WatchedLink> links;
  for (const auto& [key, link] : links_) {
    const bool sends = key.from_worker == worker, receives = key.to_worker == worker;
    if (sends == receives) continue;  // another worker's, or inside this one
    const std::uint32_t other = sends ? key.to_worker : key.from_worker;
    links.push_back({key.layer, other, NeighborKind::thread, sends ? &link->inlet : nullptr,
                     receives ? &link->outlet : nullptr, &updates_[other]});
  }
  return links;
}

ReplayedRun::Link& ReplayedRun::link(const LinkSpec& spec) {
  auto& link = links_[spec.key];
  if (!link) link = std::make_unique<Link>();
  link->channels = spec.channels;
  return *link;
}

std::int64_t ReplayedRun::time_of_update(std::uint32_t worker) {
  const double factor = options_.slowness.empty() ? 1.0 : options_.slowness[worker];
  const double mean = static_cast<double>(options_.period_ns) * factor;
  return std::max<std::int64_t>(1, std::llround(mean * (1 - options_.jitter + 2 * options_.jitter * random_.unit())));
}

void ReplayedRun::run_until(std::int64_t until_ns, const std::function<void(std::uint32_t)>& update) {
  while (turns_.top().at_ns < until_ns) {
    const Turn turn = turns_.top();
    turns_.pop();
    clock_.set_ns(turn.at_ns);
    update(turn.worker);
    updates_[turn.worker].add();
    turns_.push({turn.at_ns + time_of_update(turn.worker), turn.worker});
  }
  clock_.set_ns(until_ns);
}

void ReplayedRun::for_each_link(
    const std::function<void(const LinkKey&, const InletObservation&, const OutletObservation&)>& visit) const {
  for (const auto& [key, link] : links_) visit(key, observe(link->inlet), observe(link->outlet));
}

}  // namespace laxity
