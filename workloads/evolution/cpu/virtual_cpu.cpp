#include "workloads/evolution/cpu/virtual_cpu.hpp"

#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "laxity/error.hpp"

namespace laxity::evolution {
namespace {

constexpr std::uint32_t unregulated = 0;  // version of regulators that are all 0

constexpr MatchSpace space_of(JumpTable table) {
  return {table == JumpTable::internal ? MatchSpace::internal : MatchSpace::exposed, unregulated};
}
constexpr MatchSpace space_of(JumpTable table, std::uint32_t version) {
  return {table == JumpTable::internal ? MatchSpace::regulated_internal : MatchSpace::regulated_exposed, version};
}

constexpr auto no_offset = [](std::size_t) { return 0.F; };

}  // namespace

VirtualCpu::VirtualCpu(CpuLimits limits) : slice_length_(limits.slice_length) {
  if (limits.cores < 1 || limits.cores > 255) {
    throw UsageError("cores = " + std::to_string(limits.cores) + " is not in 1 to 255");
  }
  if (limits.slice_length < 1) {
    throw UsageError("slice_length = " + std::to_string(limits.slice_length) + " is less than 1");
  }
  cores_.resize(static_cast<std::size_t>(limits.cores));
  order_.reserve(cores_.size());
  free_.reserve(cores_.size());
  load(std::make_shared<const LoadedProgram>(Program{}));
}

void VirtualCpu::load(std::shared_ptr<const LoadedProgram> program) {
  program_ = std::move(program);
  for (std::size_t table = 0; table < jump_table_count; ++table) {
    regulators_[table].reset(program_->global_anchors(static_cast<JumpTable>(table)).size());
  }
  cache_.clear();
  end_cores();
}

void VirtualCpu::end_cores() {
  order_.clear();
  free_.clear();
  for (std::size_t i = cores_.size(); i > 0; --i) free_.push_back(static_cast<std::uint8_t>(i - 1));
  turn_ = 0;
}

bool VirtualCpu::launch(Tag tag, JumpTable table, const Registers& registers) {
  if (free_.empty()) return false;
  const int anchor = match_global(tag, table);
  return anchor >= 0 &&
         launch_at(program_->global_anchors(table)[static_cast<std::size_t>(anchor)].position, registers);
}

bool VirtualCpu::launch_at(std::uint32_t position, const Registers& registers) {
  if (free_.empty() || position >= program_->size()) return false;
  order_.push_back(free_.back());
  free_.pop_back();
  Core& core = cores_[order_.back()];
  core.registers = registers;
  core.position = position;
  core.module = Core::no_module;
  core.regulators.reset();
  core.fork_count = 0;
  return true;
}

// Ends the core whose turn it is, and starts the cores that it has asked for.
void VirtualCpu::end_core() {
  const std::uint8_t ended = order_[turn_];
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(turn_));
  free_.push_back(ended);
  const auto forks = cores_[ended].forks;  // one of them may take its place
  const std::size_t count = cores_[ended].fork_count;
  for (std::size_t i = 0; i < count; ++i) launch(program_->tag(forks[i]), JumpTable::internal);
}

void VirtualCpu::decay_regulators() {
  for (GlobalRegulators& regulators : regulators_) regulators.decay_all(last_version_);
  for (const std::uint8_t running : order_) cores_[running].regulators.decay_all();
}

void VirtualCpu::serialize(Archive& archive) {
  archive.resizable(order_);
  archive.resizable(free_);
  for (const std::uint8_t running : order_) archive.value(cores_[running]);
  archive.value(turn_);
  archive.value(last_version_);
  for (GlobalRegulators& regulators : regulators_) regulators.serialize(archive);
}

int VirtualCpu::match_global_unregulated(Tag tag, JumpTable table) {
  return cache_.get(tag, space_of(table), [&] {
    return nearest_anchor(program_->global_anchors(table), tag, global_match_limit, no_offset);
  });
}

int VirtualCpu::match_global(Tag tag, JumpTable table) {
  const GlobalRegulators& regulators = regulators_[static_cast<std::size_t>(table)];
  if (regulators.version() == unregulated) return match_global_unregulated(tag, table);
  return cache_.get(tag, space_of(table, regulators.version()), [&] { return find_global(tag, table); });
}

// Few regulators are active. Of the other anchors the nearest is the one without regulators, unless that is regulated
// itself.
int VirtualCpu::find_global(Tag tag, JumpTable table) {
  const GlobalRegulators& regulators = regulators_[static_cast<std::size_t>(table)];
  const std::span<const Anchor> anchors = program_->global_anchors(table);
  const auto distance = [&](int anchor) {
    return regulated_distance(anchors[static_cast<std::size_t>(anchor)].tag, tag, regulators[anchor].offset());
  };
  int nearest = match_global_unregulated(tag, table);
  if (nearest >= 0 && regulators[nearest].active()) {
    return nearest_anchor(anchors, tag, global_match_limit,
                          [&](std::size_t anchor) { return regulators[static_cast<int>(anchor)].offset(); });
  }
  float smallest = nearest >= 0 ? distance(nearest) : std::nextafter(global_match_limit, 2.F);
  regulators.for_each_active([&](int anchor) {
    const float found = distance(anchor);
    if (found < smallest || (found == smallest && anchor < nearest)) {
      smallest = found;
      nearest = anchor;
    }
  });
  return nearest;
}

int VirtualCpu::match_local_unregulated(const Core& core, Tag tag) {
  if (core.module == Core::no_module) return -1;
  const std::span<const Anchor> anchors = program_->local_anchors(static_cast<std::size_t>(core.module));
  if (anchors.empty()) return -1;
  return cache_.get(tag, {MatchSpace::module, static_cast<std::uint32_t>(core.module)},
                    [&] { return nearest_anchor(anchors, tag, local_match_limit, no_offset); });
}

// Regulators of a core's local anchors are rare and change within a few instructions: matches under them are not
// remembered.
int VirtualCpu::match_local(const Core& core, Tag tag) {
  if (!core.regulators.any()) return match_local_unregulated(core, tag);
  return nearest_anchor(program_->local_anchors(static_cast<std::size_t>(core.module)), tag, local_match_limit,
                        [&](std::size_t anchor) { return core.regulators.get(static_cast<int>(anchor)).offset(); });
}

}  // namespace laxity::evolution
