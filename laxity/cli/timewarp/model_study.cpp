#include "laxity/cli/timewarp/model_study.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "laxity/cli/timewarp/print_comparisons.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/table_writer.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/timewarp/result.hpp"

namespace laxity::cli {
namespace {

struct ModelTables {
  explicit ModelTables(const RunDirectory& directory)
      : comparisons(directory.path()), quantities(directory.path()), runs(directory.path()) {}

  TableWriter<tables::comparisons> comparisons;
  TableWriter<tables::quantities> quantities;
  TableWriter<tables::model_runs> runs;
};

class ModelRuns final : public SimulationRuns {
 public:
  ModelRuns(const SimulationStudy& study, const ModelOptions& model, const timewarp::Engine& engine)
      : study_(study), model_(model), engine_(engine) {}

  [[nodiscard]] const timewarp::Engine& engine(std::size_t /*treatment*/) const override { return engine_; }
  [[nodiscard]] double end_time(std::size_t /*treatment*/) const override { return model_.end_time(); }
  void check() const override { model_.check(engine_); }
  void open(const RunDirectory& directory) override { tables_.emplace(directory); }

  [[nodiscard]] RunEnding run(const RunOfStudy& run, const timewarp::Watch& watch) override {
    std::vector<timewarp::Progress> last;
    const auto start = std::chrono::steady_clock::now();
    const auto unfinished = [&](RunEnd end, const std::string& reason) {
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      done_ = {.workers = {}, .seconds = elapsed.count(), .comparisons = {}};
      for (const timewarp::Progress& worker : last) done_.workers.push_back(worker.counts);
      return RunEnding{end, reason};
    };
    try {
      done_ = model_.run(model_.end_time(), seed_of(run), engine_, [&](const std::vector<timewarp::Progress>& workers) {
        last = workers;
        watch(workers);
      });
      return {};
    } catch (const timewarp::Interrupted& interruption) {
      return unfinished(RunEnd::interrupted, interruption.by());
    } catch (const UsageError&) {
      throw;
    } catch (const SystemError&) {
      throw;
    } catch (const Error& error) {
      return unfinished(RunEnd::failed, error.what());
    }
  }

  void record(const RunOfStudy& run, const RunEnding& ending) override {
    for (const timewarp::Comparison& comparison : done_.comparisons) {
      for (const timewarp::Compared& point : comparison.points) {
        tables_->comparisons.add(column<"run">(run.number), column<"quantity">(comparison.quantity),
                                 column<"by">(comparison.by), column<"x">(point.x),
                                 column<"simulated">(point.simulated), column<"expected">(point.expected));
      }
    }
    for (const timewarp::Quantity& quantity : done_.quantities) {
      for (const timewarp::Measured& point : quantity.points) {
        tables_->quantities.add(column<"run">(run.number), column<"quantity">(quantity.quantity),
                                column<"by">(quantity.by), column<"x">(point.x), column<"value">(point.value));
      }
    }
    tables_->comparisons.flush();
    tables_->quantities.flush();
    const timewarp::Statistics total = done_.total();
    const int threads = engine_.sequential ? 1 : engine_.options.threads;
    const int processes = engine_.sequential ? 1 : engine_.options.process_count();
    tables_->runs.add(column<"run">(run.number), column<"model">(study_.name), column<"seed">(seed_of(run)),
                      column<"team">(team_of(engine_)), column<"threads">(threads), column<"processes">(processes),
                      column<"workers">(engine_.workers()), column<"queue">(timewarp::name_of(engine_.queue)),
                      column<"seconds">(done_.seconds), column<"committed">(total.committed),
                      column<"processed">(total.processed), column<"rolled_back">(total.rolled_back),
                      column<"committed_per_second">(done_.committed_per_second()),
                      column<"efficiency">(total.efficiency()), column<"digest">(fmt::format("{:016x}", done_.digest)),
                      column<"status">(name_of(ending.end)));
    tables_->runs.flush();  // last: its row marks the run as complete
  }

  void print_run(const RunOfStudy& run) const override {
    print_result(engine_, seed_of(run), done_);
    if (study_.replicates == 1) print_comparisons(done_);
  }

  void print_end(const RunDirectory& directory) const override {
    if (study_.replicates > 1) print_intervals(directory.path(), study_.replicates);
  }

 private:
  [[nodiscard]] std::uint64_t seed_of(const RunOfStudy& run) const noexcept {
    return study_.seed + static_cast<std::uint64_t>(run.replicate);
  }

  const SimulationStudy& study_;
  const ModelOptions& model_;
  const timewarp::Engine& engine_;
  std::optional<ModelTables> tables_;  // in the rank that writes
  timewarp::ComparedRun done_;         // the last run
};

}  // namespace

int run_model_study(const SimulationStudy& study, const ModelOptions& model, const timewarp::Engine& engine) {
  ModelRuns runs(study, model, engine);
  return run_study(study, runs);
}

}  // namespace laxity::cli
