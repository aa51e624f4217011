#include "apps/laxity/color/treatment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "laxity/mesh/reactions/reaction.hpp"

namespace laxity::cli {
namespace {

constexpr std::string_view migrate_name = "migrate";

}  // namespace

std::string title_of(const ColorTreatment& treatment) {
  const bool from_file = treatment.graph_nodes != 0;
  const std::uint32_t nodes = from_file ? treatment.graph_nodes : treatment.nodes_per_worker;
  std::string title = fmt::format("{}, mode {} {}, {} node{}", treatment.shape.text(), static_cast<int>(treatment.mode),
                                  laxity::name_of(treatment.mode), nodes, nodes == 1 ? "" : "s");
  if (from_file) title += " in all";
  if (treatment.parts_per_worker != 1)
    title += fmt::format("{} {} parts", from_file ? "," : " in", treatment.parts_per_worker);
  if (!from_file || treatment.parts_per_worker != 1) title += " each";
  if (treatment.own_tori) title += ", a torus each";
  if (treatment.work != 0) title += fmt::format(", work {}", treatment.work);
  if (treatment.mutex) title += ", mutex";
  if (treatment.fault.kind == WorkerFault::Kind::freeze)
    title += fmt::format(", the host of worker {} frozen", treatment.fault.worker);
  else if (treatment.fault.kind == WorkerFault::Kind::link)
    title += fmt::format(", worker {} on a bad link", treatment.fault.worker);
  else if (treatment.fault.kind != WorkerFault::Kind::none)
    title += fmt::format(", worker {} {}", treatment.fault.worker, laxity::name_of(treatment.fault.kind));
  if (treatment.hosts > 1) title += fmt::format(", on {} hosts", treatment.hosts);
  if (!treatment.reactions.empty()) title += ", " + reactions_of(treatment);
  return title;
}

std::vector<std::string> all_reactions() {
  std::vector<std::string> names(reaction_names.begin(), reaction_names.end());
  names.emplace_back(migrate_name);
  return names;
}

bool migrates(const ColorTreatment& treatment) {
  return std::ranges::find(treatment.reactions, migrate_name) != treatment.reactions.end();
}

std::string reactions_of(const ColorTreatment& treatment) {
  return treatment.reactions.empty() ? "none" : fmt::format("{}", fmt::join(treatment.reactions, "+"));
}

std::string_view mesh_of(const ColorTreatment& treatment) { return treatment.own_tori ? "own_tori" : "shared"; }

std::string guard_of(const ColorTreatment& treatment) { return treatment.mutex ? "mutex" : "lock-free"; }

}  // namespace laxity::cli
