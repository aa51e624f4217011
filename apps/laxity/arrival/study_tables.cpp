#include "apps/laxity/arrival/study_tables.hpp"

#include <fmt/format.h>

#include "laxity/cli/run_name.hpp"

namespace laxity::cli {
namespace {

using collective::Algorithm;
using collective::ArrivalBlock;
using collective::Verdict;

std::string_view word_for(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return "right";
    case Verdict::refused:
      return "refused";
    case Verdict::wrong:
      break;
  }
  return "wrong";
}

Configuration configuration_of(const ArrivalStudy& study, const ArrivalSource& source) {
  std::vector<std::string> collectives, skews, patterns{"no_delay"};
  std::vector<std::int64_t> sizes, ids;
  for (const ArrivalCase& each : study.cases) {  // one entry of each list for each case
    collectives.emplace_back(name_of(each.collective));
    sizes.push_back(static_cast<std::int64_t>(each.bytes));
    std::string text;
    for (const auto& skew : each.skews) text += (text.empty() ? "" : " ") + text_of(skew);
    skews.push_back(std::move(text));
  }
  for (const auto pattern : study.patterns) patterns.emplace_back(name_of(pattern));
  for (const auto& pattern : study.custom_patterns) patterns.push_back(pattern.name);
  for (const int id : study.algorithms) ids.push_back(id);
  Configuration configuration{{"library", fmt::format("{} {}", source.library, source.version)},
                              {"processes", std::int64_t{source.processes}},
                              {"hosts", std::int64_t{source.hosts}},
                              {"collectives", collectives},
                              {"sizes_bytes", sizes},
                              {"algorithms", ids},
                              {"with_aliases", study.with_aliases},
                              {"with_own", study.with_own},
                              {"patterns", patterns},
                              {"skews", skews}};
  configuration.insert(configuration.end(), source.configuration.begin(), source.configuration.end());
  configuration.emplace_back("seed", static_cast<std::int64_t>(study.seed));
  return configuration;
}

}  // namespace

ArrivalTables::ArrivalTables(const ArrivalStudy& study, ArrivalSource source)
    : source_(std::move(source)),
      path_(study.output.empty() ? default_output("arrival") : study.output),
      directory_(path_, manifest_of(study)),
      runs_(directory_.path()),
      algorithms_(directory_.path()),
      arrival_(directory_.path()),
      disturbances_(directory_.path()) {}

void ArrivalTables::add_algorithm(std::int64_t run, const ArrivalBlock& block, const Algorithm& algorithm,
                                  std::string_view verdict) {
  algorithms_.add(column<"run">(run), column<"collective">(name_of(block.collective)), column<"bytes">(block.bytes),
                  column<"algorithm">(algorithm.name), column<"algorithm_id">(algorithm.id),
                  column<"verdict">(verdict));
}

void ArrivalTables::add(std::int64_t run, const PlannedBlock& planned, const collective::BlockResult& result,
                        double seconds, const std::vector<Disturbance>& disturbances) {
  const ArrivalBlock& block = planned.block;
  const auto collective = name_of(block.collective);
  std::size_t repetitions = 0, valid = 0;
  for (std::size_t at = 0; at < block.algorithms.size(); ++at)
    add_algorithm(run, block, block.algorithms[at], word_for(result.verdicts[at]));
  for (const auto& [algorithm, why] : planned.left_out) add_algorithm(run, block, algorithm, why);
  for (const auto& cell : result.cells) {
    const Algorithm& algorithm = block.algorithms[cell.algorithm];
    for (std::size_t at = 0; at < cell.repetitions.size(); ++at) {
      const auto& repetition = cell.repetitions[at];
      arrival_.add(column<"run">(run), column<"collective">(collective), column<"algorithm">(algorithm.name),
                   column<"algorithm_id">(algorithm.id), column<"library">(source_.library),
                   column<"version">(source_.version), column<"processes">(source_.processes),
                   column<"hosts">(source_.hosts), column<"bytes">(block.bytes), column<"pattern">(cell.pattern),
                   column<"skew_us">(cell.skew_us), column<"repetition">(at), column<"turn">(repetition.turn),
                   column<"valid">(repetition.valid ? 1 : 0), column<"last_delay_us">(repetition.last_delay_us),
                   column<"total_delay_us">(repetition.total_delay_us));
      ++repetitions;
      if (repetition.valid) ++valid;
    }
  }
  algorithms_.flush();
  arrival_.flush();
  add_rows(disturbances_, run, disturbances);
  runs_.add(column<"run">(run), column<"collective">(collective), column<"bytes">(block.bytes),
            column<"processes">(source_.processes), column<"hosts">(source_.hosts),
            column<"oversubscribed">(source_.oversubscribed ? 1 : 0), column<"algorithms">(block.algorithms.size()),
            column<"cells">(result.cells.size()), column<"repetitions">(repetitions), column<"valid">(valid),
            column<"seconds">(seconds), column<"status">("done"));
  runs_.flush();
}

Manifest ArrivalTables::manifest_of(const ArrivalStudy& study) const {
  Manifest manifest = manifest_of_this_machine("arrival", path_.filename().string(), study.argc, study.argv);
  manifest.seed = study.seed;
  manifest.versions["mpi"] = fmt::format("{} {}", source_.library, source_.version);
  manifest.configuration = configuration_of(study, source_);
  return manifest;
}

}  // namespace laxity::cli
