// laxity epidemic: an infection among people who travel, beside its differential equations.
#include <cstdint>
#include <memory>
#include <string>

#include "apps/laxity/model_command.hpp"
#include "apps/laxity/subcommands.hpp"
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

struct Options {
  models::EpidemicOptions model;
  std::string places, travel;
  std::int64_t side = 8, population = 1000;
  double infected = 0.02, travelling = 0.1;

  [[nodiscard]] models::World world() const {
    if (!places.empty() || !travel.empty()) {
      if (places.empty() || travel.empty()) throw UsageError("--places and --travel come together");
      return models::read_world(places, travel);
    }
    if (!(infected >= 0 && infected <= 1)) throw UsageError("--infected: must be in [0, 1]");
    if (!(travelling >= 0 && travelling <= 1000)) throw UsageError("--travelling: must be in [0, 1000]");
    return models::square_world(static_cast<std::uint32_t>(in_range("--side", side, 1, 64)),
                                static_cast<std::uint32_t>(in_range("--population", population, 0, 100'000'000)),
                                infected, travelling);
  }
};

}  // namespace

void add_epidemic(CLI::App& app, int argc, const char* const* argv) {
  auto* command = app.add_subcommand("epidemic", "Simulate an epidemic among people who travel, beside its equations");
  command->footer(examples);
  auto options = std::make_shared<Options>();
  const auto add = [&](const char* name, auto& value, const char* what) {
    return command->add_option(name, value, what)->group("Model")->capture_default_str();
  };
  add("--places", options->places, "File of places");
  add("--travel", options->travel, "File of who travels where");
  add("--side", options->side, "Without files: places in a row of the torus");
  add("--population", options->population, "Without files: people in each place");
  add("--infected", options->infected, "Without files: share of them infectious at first, in a quarter of the places");
  add("--travelling", options->travelling, "Without files: share that goes to a neighbouring place per day");
  add("--contacts", options->model.contacts, "Infections per infectious person and day, among the susceptible");
  add("--latent", options->model.latent, "Mean days until one is infectious");
  add("--infectious", options->model.infectious, "Mean days until one recovers");
  add("--journey", options->model.journey, "Mean days under way");
  add("--end-time", options->model.end_time, "Days");
  auto model = std::make_shared<ModelCommand>(*command, "epidemic", argc, argv);
  command->callback([=] {
    const models::World world = options->world();
    model->execute({{"places", static_cast<std::int64_t>(world.places.size())},
                    {"places_file", options->places},
                    {"travel_file", options->travel},
                    {"population", options->population},
                    {"infected", options->infected},
                    {"travelling", options->travelling},
                    {"contacts", options->model.contacts},
                    {"latent", options->model.latent},
                    {"infectious", options->model.infectious},
                    {"journey", options->model.journey}},
                   options->model.end_time,
                   [&](std::uint64_t seed, const timewarp::Engine& engine, const timewarp::Watch& watch) {
                     return models::run_epidemic(options->model, world, seed, engine, watch);
                   });
  });
}

}  // namespace laxity::cli
