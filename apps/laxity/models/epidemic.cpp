// laxity epidemic: an epidemic among people who travel, compared with its differential equations.
#include <cstdint>
#include <memory>
#include <string>

#include "apps/laxity/cli/subcommands.hpp"
#include "apps/laxity/models/models.hpp"
#include "laxity/cli/command.hpp"
#include "laxity/cli/timewarp/engine_options.hpp"
#include "laxity/cli/timewarp/model_command.hpp"
#include "laxity/error.hpp"
#include "workloads/models/epidemic_run.hpp"

namespace laxity::cli {
namespace {

constexpr const char* epidemic_examples = R"(Examples:
  laxity epidemic --sequential                    64 places of 1000 people
  laxity epidemic --threads 2 --places places.csv --travel travel.csv --report

The file of places is CSV with the header place,population,infected. The header of the travel file is "from" and the names of
the places; each row has a place and the share of its people that travels to each place per day. Every person is simulated.
For large populations the course converges to the solution of differential equations.
)";

class EpidemicModel final : public ModelOptions {
 public:
  void add(Command& command) override {
    const auto add = [&](const char* name, auto& value, const char* what) {
      command.add_option(name, value, what)->group("Model")->capture_default_str();
    };
    add("--places", places_, "File of places");
    add("--travel", travel_, "File of the travel between places");
    add("--side", side_, "Without files: side of the square torus of places");
    add("--population", population_, "Without files: people in each place");
    add("--infected", infected_,
        "Without files: share of the people of a quarter of the places that is infectious at the start");
    add("--travel-rate", travel_rate_,
        "Without files: share of the people that travels to a neighboring place per day");
    add("--transmission-rate", options_.transmission_rate, "Infections per infectious person and day");
    add("--latent-period", options_.latent_period, "Mean days from exposure to onset");
    add("--infectious-period", options_.infectious_period, "Mean days from onset to recovery");
    add("--travel-time", options_.travel_time, "Mean days between two places");
    add("--end-time", options_.end_time, "End of the simulation, in days");
  }

  void check(const timewarp::Engine& engine) const override {
    const models::World places = world();
    models::check(options_, places);
    timewarp::check(engine, static_cast<timewarp::LpId>(places.places.size()));
  }

  [[nodiscard]] Configuration configuration() const override {
    return {{"places", static_cast<std::int64_t>(world().places.size())},
            {"places_file", places_},
            {"travel_file", travel_},
            {"population", population_},
            {"infected", infected_},
            {"travel_rate", travel_rate_},
            {"transmission_rate", options_.transmission_rate},
            {"latent_period", options_.latent_period},
            {"infectious_period", options_.infectious_period},
            {"travel_time", options_.travel_time}};
  }
  [[nodiscard]] double end_time() const override { return options_.end_time; }

  [[nodiscard]] timewarp::ComparedRun run(double end_time, std::uint64_t seed, const timewarp::Engine& engine,
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
    if (!(travel_rate_ >= 0 && travel_rate_ <= 1000)) throw UsageError("--travel-rate: must be in [0, 1000]");
    return models::square_world(static_cast<std::uint32_t>(in_range("--side", side_, 1, 64)),
                                static_cast<std::uint32_t>(in_range("--population", population_, 0, 100'000'000)),
                                infected_, travel_rate_);
  }

  models::EpidemicOptions options_;
  std::string places_, travel_;
  std::int64_t side_ = 8, population_ = 1000;
  double infected_ = 0.02, travel_rate_ = 0.1;
};

}  // namespace

std::shared_ptr<ModelOptions> epidemic_options() { return std::make_shared<EpidemicModel>(); }

void add_epidemic(Command& app, int argc, const char* const* argv) {
  auto* command =
      app.add_subcommand("epidemic", "Simulate an epidemic among people who travel and compare with its equations");
  command->footer(epidemic_examples);
  add_model_command(*command, epidemic_options(), "epidemic", argc, argv);
}

}  // namespace laxity::cli
