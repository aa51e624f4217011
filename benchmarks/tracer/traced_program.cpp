// The traced program of the benchmark. Rank 0 prints one number.
//
//   traced_program calls N          time of an MPI_Barrier on MPI_COMM_SELF in ns, the median over 200 batches of N calls
//   traced_program fit BYTES        iterations of a compute loop that take as long as an all-to-all
//   traced_program half BYTES N W   time of W iterations and an all-to-all in ns, the median over 50 batches of N
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

int rank = 0;

double compute(long turns) {
  double value = 1;
  for (long i = 0; i < turns; ++i) value = value * 1.000000001 + 1e-9;
  return value;
}

void print_median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (rank == 0) std::printf("%.3f\n", *middle);
}

void measure_calls(long calls) {
  constexpr int batches = 200;
  std::vector<double> means_ns;
  for (int batch = 0; batch < batches; ++batch) {
    const double start = MPI_Wtime();
    for (long i = 0; i < calls; ++i) MPI_Barrier(MPI_COMM_SELF);
    means_ns.push_back((MPI_Wtime() - start) * 1e9 / static_cast<double>(calls));
  }
  print_median(means_ns);
}

class AllToAll {
 public:
  explicit AllToAll(int bytes) : bytes_(bytes) {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sent_.resize(static_cast<std::size_t>(size) * static_cast<std::size_t>(bytes));
    received_.resize(sent_.size());
  }
  void operator()() {
    MPI_Alltoall(sent_.data(), bytes_, MPI_CHAR, received_.data(), bytes_, MPI_CHAR, MPI_COMM_WORLD);
  }

 private:
  int bytes_;
  std::vector<char> sent_, received_;
};

volatile double sink = 0;

void fit(int bytes) {
  constexpr int calls = 2000;
  constexpr long turns = 20'000'000;
  AllToAll exchange(bytes);
  for (int i = 0; i < calls; ++i) exchange();
  double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) exchange();
  const double per_call = (MPI_Wtime() - start) / calls;
  start = MPI_Wtime();
  sink = compute(turns);
  const double per_turn = (MPI_Wtime() - start) / turns;
  if (rank == 0) std::printf("%ld\n", std::max(1L, static_cast<long>(per_call / per_turn)));
}

void half(int bytes, long steps, long turns) {
  AllToAll exchange(bytes);
  for (int i = 0; i < 100; ++i) exchange();
  constexpr int batches = 50;
  std::vector<double> means_ns;
  for (int batch = 0; batch < batches; ++batch) {
    const double start = MPI_Wtime();
    for (long i = 0; i < steps; ++i) {
      sink = compute(turns);
      exchange();
    }
    means_ns.push_back((MPI_Wtime() - start) * 1e9 / static_cast<double>(steps));
  }
  print_median(means_ns);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string what = argc > 2 ? argv[1] : "";
  const auto number = [&](int which) { return which < argc ? std::atol(argv[which]) : 1; };
  if (what == "calls") measure_calls(number(2));
  if (what == "fit") fit(static_cast<int>(number(2)));
  if (what == "half") half(static_cast<int>(number(2)), number(3), number(4));
  MPI_Finalize();
}
