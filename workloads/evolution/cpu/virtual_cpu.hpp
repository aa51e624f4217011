// The virtual CPU of one cardinal of a cell: cores that run the modules of one program, started by tags.
//
// Source: SignalGP (Lalejini and Ofria, GECCO 2018) as SignalGP-Lite implements it (arXiv 2108.00382): events start
// cores, cores take turns of eight instructions, a module is found by the nearest tag.
// A core that reaches a global anchor ends if its module has local anchors; otherwise it enters the module that begins
// there, so several anchors may lead into one module. What a core asks for with Fork If starts when it ends.
//
// Invariants: order_ holds the running cores, in the order of their starts; all others are in free_.
// Threads: one.
// Elsewhere: matching of tags and regulators (regulators.hpp), the instructions (instruction.hpp), their execution
// (execution.hpp, included at the end).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "laxity/mesh/migration/archive.hpp"
#include "laxity/random.hpp"
#include "workloads/evolution/cpu/instruction.hpp"
#include "workloads/evolution/cpu/peripheral.hpp"
#include "workloads/evolution/cpu/program.hpp"
#include "workloads/evolution/cpu/regulators.hpp"

namespace laxity::evolution {

/// Limits of a virtual CPU.
struct CpuLimits {
  int cores = 16;        ///< 1 to 255
  int slice_length = 8;  ///< instructions that a core executes before it is another core's turn; at least 1
};

class VirtualCpu {
 public:
  /// A core. Its position is that of the next instruction.
  struct Core {
    static constexpr int no_module = -1;
    static constexpr std::size_t max_forks = 3;

    Registers registers{};
    std::uint32_t position = 0;
    int module = no_module;  ///< index of the global anchor that begins it
    LocalRegulators regulators{};
    std::array<std::uint16_t, max_forks> forks{};  ///< positions of the instructions that asked for them
    std::uint8_t fork_count = 0;
  };

  /// Throws UsageError if a limit is out of range.
  explicit VirtualCpu(CpuLimits limits = {});

  /// Ends all cores, clears all regulators and takes a program.
  void load(std::shared_ptr<const LoadedProgram> program);

  /// Starts a core at the global anchor that matches the tag. False: no anchor matches, or no core is free.
  bool launch(Tag tag, JumpTable table, const Registers& registers = {});

  /// Starts a core at a position of the program. False: the program is shorter, or no core is free.
  bool launch_at(std::uint32_t position, const Registers& registers = {});

  /// Gives the running cores at most `slices` slices in turns. Returns the number of instructions executed.
  template <Peripheral P>
  std::uint64_t run(int slices, P& peripheral, SeededRandom& random);

  /// Ends all cores; what they have asked for is lost.
  void end_cores();

  /// One decay of all regulators: every 32 updates of the world.
  void decay_regulators();

  /// All state but the program, which must be loaded before it is read.
  void serialize(Archive& archive);

  [[nodiscard]] int running() const noexcept { return static_cast<int>(order_.size()); }
  [[nodiscard]] int idle() const noexcept { return static_cast<int>(free_.size()); }
  /// The running core number `index`, in the order of their starts.
  [[nodiscard]] const Core& core(int index) const noexcept { return cores_[order_[static_cast<std::size_t>(index)]]; }
  [[nodiscard]] const LoadedProgram& program() const noexcept { return *program_; }
  /// The regulator of a global anchor, by its index in program().global_anchors(table).
  [[nodiscard]] const Regulator& regulator(JumpTable table, int anchor) const noexcept {
    return regulators_[static_cast<std::size_t>(table)][anchor];
  }

 private:
  struct Slice {
    std::uint32_t instructions;
    bool ended;  // the core
  };
  template <Peripheral P>
  Slice run_slice(Core& core, P& peripheral, SeededRandom& random);
  template <Peripheral P>
  Slice execute(Core& core, std::uint32_t length, P& peripheral, SeededRandom& random);
  void end_core();

  [[nodiscard]] int match_global(Tag tag, JumpTable table);
  [[nodiscard]] int match_global_unregulated(Tag tag, JumpTable table);
  [[nodiscard]] int find_global(Tag tag, JumpTable table);
  [[nodiscard]] int match_local(const Core& core, Tag tag);
  [[nodiscard]] int match_local_unregulated(const Core& core, Tag tag);
  template <class Change>
  void change_global(Tag tag, JumpTable table, Change change);
  template <class Change>
  void change_local(Core& core, Tag tag, Change change);

  std::shared_ptr<const LoadedProgram> program_;
  std::array<GlobalRegulators, jump_table_count> regulators_;
  MatchCache cache_;
  std::uint32_t last_version_ = 0;  // of any GlobalRegulators
  std::vector<Core> cores_;
  std::vector<std::uint8_t> order_;
  std::vector<std::uint8_t> free_;
  std::size_t turn_ = 0;  // index in order_ of the core whose turn it is
  int slice_length_;
};

}  // namespace laxity::evolution

#include "workloads/evolution/cpu/execution.hpp"  // IWYU pragma: export
