#include "laxity/metrics/catalog.hpp"

#include <algorithm>
#include <array>

namespace laxity {
namespace {

constexpr std::string_view best_effort_paper =
    "Moreno, Rodriguez Papa, Ofria: Best-effort communication improves performance and scales robustly on conventional "
    "hardware, II-D";
constexpr std::string_view coloring_paper = "Leith et al. 2012, communication-free learning";
constexpr std::string_view own = "laxity";

constexpr std::array metrics{
    Metric{"simstep_period_ns", "ns", "Δtime / max(Δupdates, 1)", "receiver", best_effort_paper},
    Metric{"simstep_latency_updates", "updates", "Δupdates / max(Δtouches, 1)", "receiver", best_effort_paper},
    Metric{"walltime_latency_ns", "ns", "simstep latency × simstep period", "receiver", best_effort_paper},
    Metric{"delivery_failure_rate", "1", "1 − Δaccepted / Δattempted", "sender", best_effort_paper},
    Metric{"delivery_clumpiness", "1", "1 − Δladen / min(Δreceived, Δpulls)", "receiver", best_effort_paper},
    Metric{"attempted", "messages", "Δ puts tried", "sender", own},
    Metric{"accepted", "messages", "Δ (puts tried − puts refused)", "sender", own},
    Metric{"superseded", "messages", "Δ messages replaced or overwritten by newer ones, before or after they left",
           "both", own},
    Metric{"pulls", "pulls", "Δ tries to receive", "receiver", own},
    Metric{"laden", "pulls", "Δ tries that brought a message", "receiver", own},
    Metric{"received", "messages", "Δ messages brought, those jumped over included", "receiver", own},
    Metric{"touches", "touches", "Δ touch count; 2 a round trip", "receiver", best_effort_paper},
    Metric{"updates_total", "updates", "Σ updates of all workers", "run", own},
    Metric{"updates_per_second", "1/s", "updates / elapsed time", "worker", own},
    Metric{"updates_per_second_per_worker", "1/s", "mean of updates_per_second over the workers", "run", own},
    Metric{"conflicts", "edges", "undirected edges whose two nodes show the same color at the end", "run",
           coloring_paper},
};

}  // namespace

std::span<const Metric> catalog() noexcept { return metrics; }

const Metric* find_metric(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(metrics, name, &Metric::name);
  return found == metrics.end() ? nullptr : found;
}

}  // namespace laxity
