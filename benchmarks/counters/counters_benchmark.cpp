// What do the always-on counters cost? Runs counters_with and counters_without alternately and compares their times. See
// README.md for why an update is judged by a small one.
//
// Each measurement runs in a process of its own, so that its memory lies elsewhere and no placement favors one candidate.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "laxity/check.hpp"

namespace {

struct Work {
  const char* name;
  std::uint64_t repetitions;
};

struct Outcome {
  double ns = 0;
  unsigned long long count = 0;
};

// Runs one program once.
class Runner {
 public:
  Runner(std::filesystem::path folder, bool smoke) : folder_(std::move(folder)), smoke_(smoke) {}

  [[nodiscard]] int rounds() const { return smoke_ ? 1 : 41; }

  [[nodiscard]] double ns_with(const Work& work) const {
    const Outcome outcome = run("counters_with", work);
    LAXITY_CHECK(outcome.count >= repetitions(work));
    return outcome.ns;
  }
  [[nodiscard]] double ns_without(const Work& work) const {
    const Outcome outcome = run("counters_without", work);
    LAXITY_CHECK(outcome.count == 0);
    return outcome.ns;
  }

 private:
  [[nodiscard]] std::uint64_t repetitions(const Work& work) const { return smoke_ ? 1000 : work.repetitions; }

  [[nodiscard]] Outcome run(const char* program, const Work& work) const {
    const std::string command =
        (folder_ / program).string() + " " + work.name + " " + std::to_string(repetitions(work));
    FILE* output = popen(command.c_str(), "r");
    LAXITY_CHECK(output != nullptr);
    Outcome outcome;
    LAXITY_CHECK(std::fscanf(output, "%lg %llu", &outcome.ns, &outcome.count) == 2);
    LAXITY_CHECK(pclose(output) == 0);
    return outcome;
  }

  std::filesystem::path folder_;
  bool smoke_;
};

// The median, and order statistics that enclose it with 95 % (normal approximation of the binomial).
struct Median {
  explicit Median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t at = values.size() / 2;
    const auto reach = static_cast<std::size_t>(std::ceil(0.98 * std::sqrt(values.size())));
    middle = values[at];
    low = values[at - std::min(at, reach)];
    high = values[std::min(at + reach, values.size() - 1)];
  }
  double middle, low, high;
};

// The time with and without counters, alternating which runs first.
struct Pair {
  Pair(const Runner& runner, const Work& work, int round) {
    if (round % 2 == 0) with_ns = runner.ns_with(work);
    without_ns = runner.ns_without(work);
    if (round % 2 != 0) with_ns = runner.ns_with(work);
  }
  double with_ns = 0, without_ns = 0;
};

// An update counts equally often however many nodes it has, so the counts are taken from updates of few nodes.
void compare_updates(const Runner& runner, const char* name, const Work& few_nodes, const Work& many_nodes) {
  std::vector<double> cost_ns, update_ns, share;
  for (int round = 0; round < runner.rounds(); ++round) {
    const Pair few(runner, few_nodes, round);
    cost_ns.push_back(few.with_ns - few.without_ns);
    update_ns.push_back(runner.ns_with(many_nodes));
    share.push_back(100 * cost_ns.back() / update_ns.back());
  }
  const Median cost(cost_ns), update(update_ns), percent(share);
  std::printf(
      "%s: the counters of an update take %.1f [%.1f, %.1f] ns, %.2f [%.2f, %.2f] %% of %.0f ns for 2048 nodes\n", name,
      cost.middle, cost.low, cost.high, percent.middle, percent.low, percent.high, update.middle);
  std::fflush(stdout);
}

void compare_channels(const Runner& runner, const char* name, const Work& work) {
  std::vector<double> cost_ns, with_ns, ratios;
  for (int round = 0; round < runner.rounds(); ++round) {
    const Pair pair(runner, work, round);
    cost_ns.push_back(pair.with_ns - pair.without_ns);
    with_ns.push_back(pair.with_ns);
    ratios.push_back(pair.with_ns / pair.without_ns);
  }
  const Median cost(cost_ns), with(with_ns), ratio(ratios);
  std::printf("%s: %.2f ns with counters, which take %.2f [%.2f, %.2f] ns of it; with / without %.3f [%.3f, %.3f]\n",
              name, with.middle, cost.middle, cost.low, cost.high, ratio.middle, ratio.low, ratio.high);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  const Runner runner(std::filesystem::read_symlink("/proc/self/exe").parent_path(), smoke);
  compare_updates(runner, "layer State, 2 threads, mode 3", {"state_4", 1'000'000}, {"state_4096", 20'000});
  compare_updates(runner, "layer Pooled, 2 threads, mode 3", {"pooled_4", 1'000'000}, {"pooled_4096", 4'000});
  compare_channels(runner, "put and pull of 64 B, one thread", {"one_thread", 10'000'000});
  compare_channels(runner, "put and pull of 64 B, two threads", {"two_threads", 5'000'000});
}
