// laxity tune: from measured collectives to files that make an MPI choose other algorithms; check them; try them.
#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/laxity/subcommands.hpp"
#include "apps/laxity/trace_export.hpp"
#include "apps/laxity/tune_apply.hpp"
#include "laxity/collective/aliases.hpp"
#include "laxity/collective/environment_rules.hpp"
#include "laxity/collective/mpich_selection.hpp"
#include "laxity/collective/rules_check.hpp"
#include "laxity/collective/selection.hpp"
#include "laxity/collective/trace/conditions.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity arrival -n 8 --output runs/arrival && laxity tune runs/arrival --output tuned.conf
                                    choose, explain, and write a rules file of Open MPI 4
  laxity tune runs/arrival --mpi openmpi5 --output tuned.conf --no-delay-output naive.conf
  laxity tune runs/mpich --mpi mpich-json --mpich-library /usr/lib/libmpich.so --output tuned.json
                                    the choices in MPICH's own selection, which is read from its library
  laxity trace --output runs/app -- mpirun -n 8 ./app && laxity tune runs/arrival --trace runs/app --traced-output app.conf
                                    choose by how the application's processes arrive
  laxity tune check tuned.conf      say what is wrong with a rules file of any library
  laxity tune apply --rules robust=tuned.conf --rules naive=naive.conf -- mpirun -n 8 ./app
                                    run times under each and without, with intervals

Under Open MPI a file is used with OMPI_MCA_coll_tuned_use_dynamic_rules=1 and
OMPI_MCA_coll_tuned_dynamic_rules_filename=FILE; under MPICH JSON with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=FILE
and MPIR_CVAR_DEVICE_COLLECTIVES=none, settings as they are. With --trace each call of the application counts under the measured
pattern that it is most like, and the traced choice is for its sizes only. Or measure the application's mean pattern
itself (laxity trace export, laxity arrival --pattern-file): it is called "application" and has a choice of its own.
)";

enum class Target { openmpi, openmpi5, openmpi6, mpich, mpich_json, intel };
constexpr std::array<const char*, 6> targets{"openmpi", "openmpi5", "openmpi6", "mpich", "mpich-json", "intel"};

struct TuneOptions {
  std::vector<std::string> runs;
  std::string mpi = "openmpi";
  std::string mpich_library;
  std::string trace;
  std::string traced = "application";
  std::string output;
  std::string no_delay_output;
  std::string traced_output;
};

Target target_named(const std::string& name) {
  std::size_t place = 0;
  while (targets[place] != name) ++place;  // CLI11 lets no other name pass
  return static_cast<Target>(place);
}

std::string library_of(Target target) {
  if (target == Target::mpich || target == Target::mpich_json) return "MPICH";
  return target == Target::intel ? "" : "Open MPI";
}

std::vector<collective::Measurement> read_all(const TuneOptions& options) {
  std::vector<collective::Measurement> cells;
  const std::string wanted = library_of(target_named(options.mpi));
  for (const std::string& run : options.runs) {
    for (auto& cell : collective::read_arrival_table(run)) {
      if (!cell.library.starts_with(wanted)) {
        std::string why = run;
        why.append(" was measured with ").append(cell.library).append(", whose algorithms are not those of ");
        throw UsageError(why.append(wanted).append("; measure with the library that is to be tuned"));
      }
      cells.push_back(std::move(cell));
    }
  }
  if (cells.empty()) throw UsageError("there is no valid measurement in the run directories");
  return cells;
}

std::string text_for(const TuneOptions& options, const std::vector<collective::Selection>& selections,
                     collective::ChoiceKind kind) {
  using collective::OpenMpiForm;
  const std::string comment = "written by laxity " LAXITY_VERSION;
  switch (target_named(options.mpi)) {
    case Target::openmpi:
      return format_rules(openmpi_rules(selections, kind), OpenMpiForm::version_1, comment);
    case Target::openmpi5:
      return format_rules(openmpi_rules(selections, kind), OpenMpiForm::version_2, comment);
    case Target::openmpi6:
      return format_rules(openmpi_rules(selections, kind), OpenMpiForm::json);
    case Target::mpich:
      return mpich_environment(selections, kind);
    case Target::mpich_json:
      return mpich_selection(selections, kind, collective::mpich_own_selection(options.mpich_library),
                             options.mpich_library);
    case Target::intel:
      return intel_environment(selections, kind);
  }
  return {};
}

// Which of the candidates do the same, so that nobody reads a difference into their measurements.
void print_aliases(const collective::Selection& selection, const std::string& library) {
  std::vector<collective::Algorithm> measured;
  for (const auto& candidate : selection.candidates) measured.push_back(candidate.algorithm);
  const auto which = library.starts_with("Open MPI") ? collective::Library::open_mpi : collective::Library::other;
  for (const auto& alias :
       collective::aliases(which, selection.collective, measured, selection.processes, selection.bytes)) {
    std::cout << "  " << alias.algorithm.name << " does the same as " << alias.runs.name << " here: " << alias.why
              << '\n';
  }
}

// What the calls of the trace are like; nothing without a trace. Says what of them was not measured.
std::vector<collective::ApplicationCalls> application_calls(const TuneOptions& options,
                                                            const std::vector<collective::Measurement>& cells) {
  if (options.trace.empty()) return {};
  const auto jobs = trace::read_jobs(trace_files_of(options.trace));
  const trace::Job& job = largest(jobs);
  if (!job.one_clock) throw UsageError(options.trace + ": the processes have different clocks, not synchronised");
  const auto found = trace::conditions_of(job, cells);
  for (const std::string& what : found.left_out) std::cout << what << '\n';
  if (found.calls.empty()) {
    throw UsageError(options.trace + ": no call of the application was measured; measure its collectives and sizes");
  }
  return found.calls;
}

void tune(const TuneOptions& options) {
  if (options.runs.empty()) throw UsageError("name the run directories of `laxity arrival` that shall decide");
  if (target_named(options.mpi) == Target::mpich_json && options.mpich_library.empty()) {
    throw UsageError("--mpi mpich-json puts choices into MPICH's own: name its library, --mpich-library libmpich.so");
  }
  const auto cells = read_all(options);
  const auto selections = collective::select_algorithms(cells, options.traced, application_calls(options, cells));
  if (selections.empty()) throw UsageError("nothing but the library's own choice was measured");
  for (const auto& selection : selections) {
    std::cout << selection.reason() << '\n';
    print_aliases(selection, cells.front().library);
    for (const std::string& name : selection.left_out) {
      std::cout << "  left out, because it was not measured under all patterns: " << name << '\n';
    }
  }
  auto of_application = selections;
  if (!options.trace.empty()) std::erase_if(of_application, [](const auto& one) { return !one.application; });
  const auto write = [&](const std::string& path, collective::ChoiceKind kind) {
    if (path.empty()) return;
    replace_file(path, text_for(options, kind == collective::ChoiceKind::traced ? of_application : selections, kind));
    std::cout << "tune: " << path << '\n';
  };
  write(options.output, collective::ChoiceKind::robust);
  write(options.no_delay_output, collective::ChoiceKind::no_delay);
  write(options.traced_output, collective::ChoiceKind::traced);
}

void check(const std::vector<std::string>& files) {
  bool all_well = true;
  for (const std::string& file : files) {
    try {
      const collective::RulesCheck checked = collective::check_rules_file(file);
      for (const collective::Trap& trap : checked.traps) {
        std::cout << file << ':' << trap.line << ':' << trap.column << ": " << trap.what << '\n';
      }
      all_well = all_well && checked.traps.empty();
      std::cout << file << ": " << name_of(checked.kind)
                << (checked.traps.empty() ? ", nothing wrong with it\n" : "\n");
    } catch (const Error& fault) {
      std::cout << fault.what() << '\n';
      all_well = false;
    }
  }
  if (!all_well) throw CLI::RuntimeError(1);
}

void add_check(CLI::App& tune) {
  auto* command = tune.add_subcommand("check", "Say what is wrong with rules files, by line and column");
  auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *files, "Of Open MPI, MPICH or Intel MPI")->required()->type_name("FILE");
  command->callback([files] { check(*files); });
}

void add_apply(CLI::App& tune) {
  auto* command = tune.add_subcommand("apply", "Run a program without and with rules files, and compare its run times");
  auto options = std::make_shared<ApplyOptions>();
  command->add_option("--rules", options->rules, "A rules file, with a name for it: robust=tuned.conf")
      ->required()
      ->type_name("[NAME=]FILE");
  command->add_option("--repeat", options->repetitions, "Runs of each, one after the other in turn")
      ->capture_default_str()
      ->check(CLI::Range(2, 10'000));
  command->add_option("--seed", options->seed, "Of the intervals")->capture_default_str();
  command->add_option("--output", options->output, "A table of all run times")->type_name("FILE");
  command->add_flag("--show", options->show, "Let the program write to the terminal");
  command->add_option("command", options->command, "The program: -- mpirun -n 8 ./app")
      ->required()
      ->type_name("COMMAND");
  command->callback([options] { apply_rules(*options); });
}

}  // namespace

void add_tune(CLI::App& app) {
  auto* command = app.add_subcommand("tune", "Choose the algorithms that suffer least from late processes");
  command->footer(examples);
  auto options = std::make_shared<TuneOptions>();
  command->add_option("run", options->runs, "Run directories of `laxity arrival`")->type_name("RUN");
  command->add_option("--mpi", options->mpi, "openmpi (4), openmpi5, openmpi6, mpich (settings), mpich-json or intel")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>(targets.begin(), targets.end())));
  command->add_option("--mpich-library", options->mpich_library, "libmpich.so, or its own selection as JSON")
      ->type_name("FILE");
  command->add_option("--output", options->output, "File of the robust choices")->type_name("FILE");
  command->add_option("--no-delay-output", options->no_delay_output, "File of the choices without delay")
      ->type_name("FILE");
  command->add_option("--traced-output", options->traced_output, "File of the choices for the traced application")
      ->type_name("FILE");
  auto* trace = command->add_option("--trace", options->trace, "A trace whose calls decide the traced choices");
  trace->type_name("DIR")->check(CLI::ExistingDirectory);
  command->add_option("--traced", options->traced, "Name of the traced pattern in the table")->capture_default_str();
  command->require_subcommand(0, 1);
  add_check(*command);
  add_apply(*command);
  command->callback([command, options] {
    if (command->get_subcommands().empty()) tune(*options);
  });
}

}  // namespace laxity::cli
