// What `laxity evolve` prints.
#pragma once

#include <cstddef>
#include <string>

#include "workloads/evolution/cpu/peripheral.hpp"
#include "workloads/evolution/cpu/program.hpp"
#include "workloads/evolution/genome/genome.hpp"

namespace laxity::cli {

/// The modules of a genome, what starts each, and its instructions with the targets of their tags.
void print_modules(const evolution::Genome& genome);

/// Prints each instruction that a virtual CPU executes, and what it sends. States of cells are 0.
class TracePrinter : public evolution::NoPeripheral {
 public:
  explicit TracePrinter(const evolution::Program& program) : program_(program) {}

  void executed(int core, std::size_t position, const evolution::Registers& registers, bool ended);
  void send_to_neighbor(evolution::Tag tag, const evolution::Registers&);
  void send_in_cell(unsigned cardinal, evolution::Tag tag, const evolution::Registers&);
  void broadcast_in_cell(evolution::Tag tag, const evolution::Registers&);

 private:
  const evolution::Program& program_;
  std::string sent_;  // by the instruction that is being executed
};

}  // namespace laxity::cli
