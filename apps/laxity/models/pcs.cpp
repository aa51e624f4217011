// laxity pcs: a personal communication service, compared with Erlang's formula.
#include <cstdint>
#include <memory>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/models/models.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/engine_options.hpp"
#include "laxity/cli/timewarp/model_command.hpp"
#include "workloads/models/pcs_run.hpp"

namespace laxity::cli {
namespace {

constexpr const char* pcs_examples = R"(Examples:
  laxity pcs --sequential                         16 x 16 cells of 10 channels
  laxity pcs --threads 2 --dwell-time inf         nobody moves: each cell is Erlang's loss system
  laxity pcs --processes 2 --width 64 --height 64 --dwell-time 1 --report

A new call needs a channel of its cell and is blocked if none is free. A call that moves to a neighboring cell needs a channel
there and is dropped if none is free. The load in Erlang is the number of new calls per minute times their mean duration. It
grows from the left column of cells to the middle column and falls again.
)";

class PcsModel final : public ModelOptions {
 public:
  void add(Command& command) override {
    const auto add = [&](const char* name, auto& value, const char* what) {
      command.add_option(name, value, what)->group("Model")->capture_default_str();
    };
    add("--width", width_, "Columns of the torus of cells");
    add("--height", height_, "Rows of the torus of cells");
    add("--channels", channels_, "Channels of each cell");
    add("--call-duration", options_.call_duration, "Mean duration of a call, in minutes");
    add("--dwell-time", options_.dwell_time, "Mean time of a caller in a cell, in minutes; inf: nobody moves");
    add("--min-load", options_.min_load, "Load of the left column, in Erlang");
    add("--max-load", options_.max_load, "Load of the middle column, in Erlang");
    add("--end-time", end_time_, "End of the simulation, in minutes");
  }

  void check(const timewarp::Engine& engine) const override {
    const models::PcsOptions pcs = options();
    models::check(pcs, end_time_);
    timewarp::check(engine, models::Pcs(pcs).cells());
  }

  [[nodiscard]] Configuration configuration() const override {
    const bool moves = options_.dwell_time < 1e12;
    return {{"width", width_},
            {"height", height_},
            {"channels", channels_},
            {"call_duration", options_.call_duration},
            {"moves", moves},
            {"dwell_time", moves ? options_.dwell_time : 0.0},
            {"min_load", options_.min_load},
            {"max_load", options_.max_load}};
  }
  [[nodiscard]] double end_time() const override { return end_time_; }

  [[nodiscard]] timewarp::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
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
  auto* command = app.add_subcommand("pcs", "Simulate mobile telephone cells and compare with Erlang's formula");
  command->footer(pcs_examples);
  add_model_command(*command, pcs_options(), "pcs", argc, argv);
}

}  // namespace laxity::cli
