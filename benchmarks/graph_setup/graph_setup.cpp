// Time to build and partition a large graph: generators, files, partitions. See README.md.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/median.hpp"
#include "laxity/mesh/graph_formats/graph_file.hpp"
#include "laxity/mesh/partitions/partition_report.hpp"
#include "laxity/mesh/topologies/generators.hpp"

namespace {

using laxity::Topology;

struct Sizes {
  std::uint32_t side = 1000;  // of the torus
  int repeats = 5;
};

// Median wall time, ms; the first run is a warm-up and is not counted.
double median_ms(int repeats, const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i <= repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
    if (i > 0) times.push_back(spent.count());
  }
  return laxity::median(std::move(times));
}

void time_generators(const Sizes& sizes) {
  const std::uint32_t side = sizes.side;
  const std::uint32_t nodes = side * side;
  const std::vector<std::pair<const char*, std::function<Topology()>>> generators{
      {"torus",
       [&] {
         return laxity::topologies::torus({side, side});
       }},
      {"grid",
       [&] {
         return laxity::topologies::grid({side, side});
       }},
      {"ring", [&] { return laxity::topologies::ring(nodes); }},
      {"watts_strogatz k=4 p=0.1", [&] { return laxity::topologies::watts_strogatz(nodes, 4, 0.1, 1); }},
      {"navigable_small_world", [&] { return laxity::topologies::navigable_small_world(side, 1, 2, 1); }},
      {"random_geometric", [&] { return laxity::topologies::random_geometric(nodes, 1.3 / side, 1); }}};
  std::printf("\n%-28s%12s%12s\n", "generate", "edges", "ms");
  for (const auto& [name, generate] : generators) {
    std::uint64_t edges = 0;
    const double ms = median_ms(sizes.repeats, [&] { edges = generate().edges(); });
    std::printf("%-28s%12llu%12.1f\n", name, static_cast<unsigned long long>(edges), ms);
  }
}

// The peer: the simplest loop. It reads pairs and stores them, without building rows.
std::size_t read_pairs_with_a_stream(const std::string& path) {
  std::ifstream file(path);
  std::vector<laxity::Edge> edges;
  laxity::Edge edge{};
  while (file >> edge.source >> edge.target) edges.push_back(edge);
  return edges.size();
}

void time_files(const Sizes& sizes, const std::filesystem::path& folder) {
  const Topology torus = laxity::topologies::torus({sizes.side, sizes.side});
  std::printf("\n%-28s%12s%12s%12s%12s\n", "read a torus", "MB", "ms", "MB/s", "ratio");
  const std::string edge_list = folder / "torus.edgelist";
  laxity::write_graph_file(torus, edge_list);
  const double peer_ms = median_ms(sizes.repeats, [&] {
    if (read_pairs_with_a_stream(edge_list) != torus.edges() / 2) throw laxity::Error(edge_list + ": lost edges");
  });
  const auto megabytes = [](const std::string& path) {
    return static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  };
  const double peer_rate = megabytes(edge_list) / peer_ms * 1e3;
  const auto print = [&](const char* name, const std::string& path, double ms) {
    const double rate = megabytes(path) / ms * 1e3;
    std::printf("%-28s%12.1f%12.1f%12.0f%12.2f\n", name, megabytes(path), ms, rate, rate / peer_rate);
  };
  print("ifstream >> pairs only", edge_list, peer_ms);
  for (const char* name : {"torus.adjlist", "torus.edgelist", "torus.graph", "torus.mtx"}) {
    const std::string path = folder / name;
    laxity::write_graph_file(torus, path);
    const double ms = median_ms(sizes.repeats, [&] {
      if (laxity::read_graph_file(path).edges() != torus.edges()) throw laxity::Error(path + ": lost edges");
    });
    print(name, path, ms);
  }
}

void time_partitions(const Sizes& sizes) {
  const Topology torus = laxity::topologies::torus({sizes.side, sizes.side});
  constexpr std::uint32_t workers = 16;
  std::vector<std::pair<const char*, std::function<laxity::Partition()>>> kinds{
      {"blocks", [&] { return laxity::partitions::blocks(torus, workers); }},
      {"contiguous", [&] { return laxity::partitions::contiguous(torus, workers); }},
      {"round_robin", [&] { return laxity::partitions::round_robin(torus, workers); }},
      {"random", [&] { return laxity::partitions::random(torus, workers, 1); }}};
  if (laxity::partitions::has_metis()) {
    kinds.emplace_back("metis", [&] { return laxity::partitions::metis(torus, workers); });
    kinds.emplace_back("metis 4 x 4", [&] { return laxity::partitions::metis_two_levels(torus, 4, 4); });
  }
  std::printf("\n%-28s%12s%12s%12s\n", "partition for 16 workers", "ms", "cut edges", "balance");
  for (const auto& [name, make] : kinds) {
    const laxity::PartitionReport report = laxity::report_partition(torus, make());
    const double ms = median_ms(sizes.repeats, [&] { static_cast<void>(make()); });
    std::printf("%-28s%12.1f%12llu%12.4f\n", name, ms, static_cast<unsigned long long>(report.cut_edges),
                report.balance);
  }
}

// A temporary folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "laxity-graph-setup-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw laxity::SystemError("mkdtemp(" + pattern + ")", errno);
    path_ = pattern;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  Sizes sizes;
  if (argc > 1 && std::strcmp(argv[1], "--smoke") == 0) {
    sizes = {50, 1};
  } else if (argc > 1) {
    std::fprintf(stderr, "usage: graph_setup [--smoke]\n");
    return 2;
  }
  try {
    const ScratchFolder scratch;
    std::printf("torus of %u x %u nodes; medians of %d runs\n", sizes.side, sizes.side, sizes.repeats);
    time_generators(sizes);
    time_files(sizes, scratch.path());
    time_partitions(sizes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graph_setup: %s\n", error.what());
    return 1;
  }
}
