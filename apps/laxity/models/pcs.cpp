// laxity pcs: mobile telephones in cells, beside Erlang's formula.
#include <cstdint>
#include <memory>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/models/model_command.hpp"
#include "apps/laxity/timewarp/engine_options.hpp"
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

class PcsModel final : public ModelOptions {
 public:
  void add(Command& command) override {
    const auto add = [&](const char* name, auto& value, const char* what) {
      command.add_option(name, value, what)->group("Model")->capture_default_str();
    };
    add("--width", width_, "Cells in a row of the torus");
    add("--height", height_, "Rows");
    add("--channels", channels_, "Calls that a cell can carry at once");
    add("--duration", options_.duration, "Mean duration of a call, in minutes");
    add("--stay", options_.stay, "Mean time in a cell, in minutes; inf: nobody moves");
    add("--least-load", options_.least_load, "Erlang, in the left column");
    add("--most-load", options_.most_load, "Erlang, in the middle column");
    add("--end-time", end_time_, "End of the simulation, in minutes");
  }

  [[nodiscard]] Configuration configuration() const override {
    const bool moves = options_.stay < 1e12;
    return {{"width", width_},
            {"height", height_},
            {"channels", channels_},
            {"duration", options_.duration},
            {"moves", moves},
            {"stay", moves ? options_.stay : 0.0},
            {"least_load", options_.least_load},
            {"most_load", options_.most_load}};
  }
  [[nodiscard]] double end_time() const override { return end_time_; }

  [[nodiscard]] models::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
                                        const timewarp::Watch& watch) const override {
    return models::run_pcs(options(), end_time, seed, engine, watch);
  }

  [[nodiscard]] std::uint64_t check_handlers(std::uint64_t seed, timewarp::Check how) const override {
    return models::check_handlers(options(), end_time_, seed, how);
  }

 private:
  [[nodiscard]] models::PcsOptions options() const {
    models::PcsOptions options = options_;
    options.width = static_cast<timewarp::LpId>(in_range("--width", width_, 1, 1 << 20));
    options.height = static_cast<timewarp::LpId>(in_range("--height", height_, 1, 1 << 20));
    options.channels = static_cast<std::uint32_t>(in_range("--channels", channels_, 1, 1'000'000));
    return options;
  }

  models::PcsOptions options_;
  std::int64_t width_ = options_.width;
  std::int64_t height_ = options_.height;
  std::int64_t channels_ = options_.channels;
  double end_time_ = 1000;
};

}  // namespace

std::shared_ptr<ModelOptions> pcs_options() { return std::make_shared<PcsModel>(); }

void add_pcs(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("pcs", "Simulate mobile telephone cells, beside Erlang's formula");
  command->footer(examples);
  add_model_command(*command, pcs_options(), "pcs", argc, argv);
}

}  // namespace laxity::cli
