#include "laxity/cli/timewarp/program.hpp"

#include <algorithm>

#include "laxity/cli/program.hpp"
#include "laxity/cli/timewarp/model_command.hpp"
#include "laxity/cli/timewarp/tuning_command.hpp"
#include "laxity/version.hpp"

namespace laxity::cli {

std::string detail::name_of_flag(const std::string& flag) {
  std::string name = flag.substr(flag.find_first_not_of('-'));
  std::ranges::replace(name, '-', '_');
  return name;
}

int ModelProgram::run_model(int argc, const char* const* argv, std::shared_ptr<ModelOptions> model) const {
  const ProgramText text{
      .name = name_, .description = description_, .version = "(laxity " LAXITY_VERSION ")", .footer = footer_};
  return run_program(argc, argv, text, [&](Command& program) {
    add_model_command(program, model, name_, argc, argv);
    Command* tune = program.add_subcommand("tune", "Measure which parts of the engine suit this model");
    add_tuning_command(*tune, tunable(model), argv[0]);
    add_log_comparison(program);
    program.require_subcommand(0, 1);
  });
}

}  // namespace laxity::cli
