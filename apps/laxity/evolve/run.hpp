// What the subcommands of `laxity evolve` do with their options.
//
// Elsewhere: the options (evolve/options.cpp), what is printed (evolve/print.hpp), genomes and the virtual CPU
// (workloads/evolution).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace laxity::cli {

struct EvolveRandomOptions {
  std::size_t length = 100;  ///< instructions
  std::uint64_t seed = 1;
  std::string output;  ///< file; empty: standard output
};

struct EvolveMutateOptions {
  std::string file;
  int births = 1;             ///< one after the other
  int replication_level = 2;  ///< 0 to 2: the kin groups that each founds anew
  std::size_t max_length = 1000;
  std::uint64_t seed = 1;
  std::string output;
};

struct EvolveTraceOptions {
  std::string file;
  std::string event = "always";  ///< starts the first core
  std::string tag;               ///< instead of the event's, 16 hexadecimal digits
  int slices = 16;               ///< of eight instructions
  std::uint64_t seed = 1;        ///< of the random instructions
};

/// Writes a random genome.
void write_random_genome(const EvolveRandomOptions& options);
/// Writes the descendant of a genome after births with mutation.
void write_mutated_genome(const EvolveMutateOptions& options);
/// Prints the modules of a genome, or the genome as JSON.
void show_genome(const std::string& file, bool json);
/// Runs one virtual CPU and prints every instruction that it executes.
void trace_genome(const EvolveTraceOptions& options);

}  // namespace laxity::cli
