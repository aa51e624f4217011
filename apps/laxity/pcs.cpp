// laxity pcs: mobile telephones in cells, beside Erlang's formula.
#include <cstdint>
#include <memory>

#include "apps/laxity/model_command.hpp"
#include "apps/laxity/subcommands.hpp"
#include "workloads/models/pcs_run.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity pcs --sequential                         16 x 16 cells of 10 channels
  laxity pcs --threads 2 --stay inf               nobody moves: each cell is Erlang's loss system
  laxity pcs --processes 2 --width 64 --height 64 --stay 1 --report

A call needs a channel of its cell, and one of the next cell when it moves. Without a free one it is blocked, or dropped.
Load is counted in Erlang: calls begun per minute times their mean duration. It is least in the left column of cells and
most in the middle.
)";

}  // namespace

void add_pcs(CLI::App& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("pcs", "Simulate mobile telephone cells, beside Erlang's formula");
  command->footer(examples);
  auto options = std::make_shared<models::PcsOptions>();
  auto width = std::make_shared<std::int64_t>(options->width);
  auto height = std::make_shared<std::int64_t>(options->height);
  auto channels = std::make_shared<std::int64_t>(options->channels);
  auto end_time = std::make_shared<double>(1000);
  const auto add = [&](const char* name, auto& value, const char* what) {
    command->add_option(name, value, what)->group("Model")->capture_default_str();
  };
  add("--width", *width, "Cells in a row of the torus");
  add("--height", *height, "Rows");
  add("--channels", *channels, "Calls that a cell can carry at once");
  add("--duration", options->duration, "Mean duration of a call, in minutes");
  add("--stay", options->stay, "Mean time in a cell, in minutes; inf: nobody moves");
  add("--least-load", options->least_load, "Erlang, in the left column");
  add("--most-load", options->most_load, "Erlang, in the middle column");
  add("--end-time", *end_time, "End of the simulation, in minutes");
  auto model = std::make_shared<ModelCommand>(*command, "pcs", argc, argv);
  command->callback([=] {
    options->width = static_cast<timewarp::LpId>(in_range("--width", *width, 1, 1 << 20));
    options->height = static_cast<timewarp::LpId>(in_range("--height", *height, 1, 1 << 20));
    options->channels = static_cast<std::uint32_t>(in_range("--channels", *channels, 1, 1'000'000));
    const bool moves = options->stay < 1e12;
    model->execute({{"width", *width},
                    {"height", *height},
                    {"channels", *channels},
                    {"duration", options->duration},
                    {"moves", moves},
                    {"stay", moves ? options->stay : 0.0},
                    {"least_load", options->least_load},
                    {"most_load", options->most_load}},
                   *end_time, [&](std::uint64_t seed, const timewarp::Engine& engine, const timewarp::Watch& watch) {
                     return models::run_pcs(*options, *end_time, seed, engine, watch);
                   });
  });
}

}  // namespace laxity::cli
