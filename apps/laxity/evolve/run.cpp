#include "apps/laxity/evolve/run.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "apps/laxity/evolve/print.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/random.hpp"
#include "workloads/evolution/cpu/virtual_cpu.hpp"
#include "workloads/evolution/genome/genome_file.hpp"
#include "workloads/evolution/genome/mutation.hpp"

namespace laxity::cli {
namespace {

using namespace evolution;

void write_genome(const Genome& genome, const std::string& output) {
  if (output.empty()) {
    fmt::print("{}", format_genome(genome));
  } else {
    replace_file(output, format_genome(genome));
  }
}

Event event_named(std::string_view name) {
  for (std::size_t event = 0; event < event_count; ++event) {
    if (name_of(static_cast<Event>(event)) == name) return static_cast<Event>(event);
  }
  throw UsageError("event = " + std::string(name) + ": is no event");
}

Tag first_tag(const EvolveTraceOptions& options, const Genome& genome) {
  if (options.tag.empty()) return genome.event_tag(event_named(options.event));
  Tag tag = 0;
  const char* const end = options.tag.data() + options.tag.size();
  const auto [read, error] = std::from_chars(options.tag.data(), end, tag, 16);
  if (error != std::errc{} || read != end)
    throw UsageError("tag = " + options.tag + ": is not hexadecimal, up to 16 digits");
  return tag;
}

}  // namespace

void write_random_genome(const EvolveRandomOptions& options) {
  SeededRandom random(options.seed);
  write_genome(random_genome(options.length, random), options.output);
}

void write_mutated_genome(const EvolveMutateOptions& options) {
  Genome genome = read_genome_file(options.file);
  SeededRandom random(options.seed);
  const auto level = static_cast<std::size_t>(options.replication_level);
  const MutationRates rates{.max_length = options.max_length};
  for (int birth = 0; birth < options.births; ++birth) {
    genome.kin.renew(level, 0, random);
    genome.descent.add_birth(level, random);
    mutate_at_birth(genome, level, rates, random);
  }
  write_genome(genome, options.output);
}

void show_genome(const std::string& file, bool json) {
  const Genome genome = read_genome_file(file);
  if (json) {
    fmt::print("{}", format_genome_json(genome));
  } else {
    print_modules(genome);
  }
}

void trace_genome(const EvolveTraceOptions& options) {
  const Genome genome = read_genome_file(options.file);
  VirtualCpu cpu;
  cpu.load(std::make_shared<const LoadedProgram>(genome.program));
  if (!cpu.launch(first_tag(options, genome), JumpTable::internal)) {
    fmt::print("no module matches: nothing starts\n");
    return;
  }
  TracePrinter printer(genome.program);
  SeededRandom random(options.seed);
  const std::uint64_t executed = cpu.run(options.slices, printer, random);
  fmt::print("{} instructions, cores still running: {}\n", executed, cpu.running());
}

}  // namespace laxity::cli
