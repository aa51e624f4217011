// laxity epidemic: an infection among people who travel, beside its differential equations.
#include <cstdint>
#include <memory>
#include <string>

#include "apps/laxity/cli/command.hpp"
#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/models/model_command.hpp"
#include "apps/laxity/timewarp/engine_options.hpp"
#include "laxity/error.hpp"
#include "workloads/models/epidemic_run.hpp"

namespace laxity::cli {
namespace {

constexpr const char* examples = R"(Examples:
  laxity epidemic --sequential                    64 places of 1000 people
  laxity epidemic --threads 2 --places places.csv --travel travel.csv --report

Places: CSV, place,population,infected. Travel: CSV, from and the places as the header; below, each place and the share of
its people that goes to each place per day. Every person is simulated; with many, the course is that of the equations.
)";

class EpidemicModel final : public ModelOptions {
 public:
  void add(Command& command) override {
    const auto add = [&](const char* name, auto& value, const char* what) {
      command.add_option(name, value, what)->group("Model")->capture_default_str();
    };
    add("--places", places_, "File of places");
    add("--travel", travel_, "File of who travels where");
    add("--side", side_, "Without files: places in a row of the torus");
    add("--population", population_, "Without files: people in each place");
    add("--infected", infected_, "Without files: share of them infectious at first, in a quarter of the places");
    add("--traveling", traveling_, "Without files: share that goes to a neighboring place per day");
    add("--contacts", options_.contacts, "Infections per infectious person and day, among the susceptible");
    add("--latent", options_.latent, "Mean days until one is infectious");
    add("--infectious", options_.infectious, "Mean days until one recovers");
    add("--journey", options_.journey, "Mean days under way");
    add("--end-time", options_.end_time, "Days");
  }

  [[nodiscard]] Configuration configuration() const override {
    return {{"places", static_cast<std::int64_t>(world().places.size())},
            {"places_file", places_},
            {"travel_file", travel_},
            {"population", population_},
            {"infected", infected_},
            {"traveling", traveling_},
            {"contacts", options_.contacts},
            {"latent", options_.latent},
            {"infectious", options_.infectious},
            {"journey", options_.journey}};
  }
  [[nodiscard]] double end_time() const override { return options_.end_time; }

  [[nodiscard]] models::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
                                        const timewarp::Watch& watch) const override {
    models::EpidemicOptions options = options_;
    options.end_time = end_time;
    return models::run_epidemic(options, world(), seed, engine, watch);
  }

  [[nodiscard]] std::uint64_t check_handlers(std::uint64_t seed, timewarp::Check how) const override {
    return models::check_handlers(options_, world(), seed, how);
  }

 private:
  [[nodiscard]] models::World world() const {
    if (!places_.empty() || !travel_.empty()) {
      if (places_.empty() || travel_.empty()) throw UsageError("--places and --travel come together");
      return models::read_world(places_, travel_);
    }
    if (!(infected_ >= 0 && infected_ <= 1)) throw UsageError("--infected: must be in [0, 1]");
    if (!(traveling_ >= 0 && traveling_ <= 1000)) throw UsageError("--traveling: must be in [0, 1000]");
    return models::square_world(static_cast<std::uint32_t>(in_range("--side", side_, 1, 64)),
                                static_cast<std::uint32_t>(in_range("--population", population_, 0, 100'000'000)),
                                infected_, traveling_);
  }

  models::EpidemicOptions options_;
  std::string places_, travel_;
  std::int64_t side_ = 8, population_ = 1000;
  double infected_ = 0.02, traveling_ = 0.1;
};

}  // namespace

std::shared_ptr<ModelOptions> epidemic_options() { return std::make_shared<EpidemicModel>(); }

void add_epidemic(Command& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("epidemic", "Simulate an epidemic among people who travel, beside its equations");
  command->footer(examples);
  add_model_command(*command, epidemic_options(), "epidemic", argc, argv);
}

}  // namespace laxity::cli
