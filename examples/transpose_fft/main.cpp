// Heat conduction in a periodic box by three-dimensional Fourier transforms: the mini-application for collectives. Each rank
// has some planes of the box; the transform along the third dimension needs two all-to-all transposes.
//
//   mpirun -n 4 transpose_fft [--class S|W|A] [--steps n]
//
// A wave along each axis decays exponentially. The program compares every cell with the exact solution and exits with 1 if
// one differs. Source of the problem: NAS Parallel Benchmarks, FT (sizes S 64 x 64 x 64, W 128 x 128 x 32, A 256 x 256 x 128).
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <kissfft/kissfft.hh>
#include <map>
#include <numbers>
#include <string>
#include <vector>

namespace {

using Value = std::complex<double>;
using Field = std::vector<Value>;

struct Box {
  std::size_t nx, ny, nz;   // cells
  std::size_t ranks, rank;  // a rank has nz / ranks planes, or nx / ranks slices after the transpose
  [[nodiscard]] std::size_t planes() const { return nz / ranks; }
  [[nodiscard]] std::size_t slices() const { return nx / ranks; }
  [[nodiscard]] std::size_t cells() const { return nx * ny * planes(); }
};

// Transforms the `count` values that begin at `line`, `stride` elements apart.
void transform(const kissfft<double>& fft, Value* line, std::size_t count, std::size_t stride, Field& in, Field& out) {
  for (std::size_t i = 0; i < count; ++i) in[i] = line[i * stride];
  fft.transform(in.data(), out.data());
  for (std::size_t i = 0; i < count; ++i) line[i * stride] = out[i];
}

// A field of planes is stored as [z][y][x], a field of slices as [x][y][z].
class Transform {
 public:
  Transform(const Box& box, bool inverse)
      : box_(box), x_(box.nx, inverse), y_(box.ny, inverse), z_(box.nz, inverse), sent_(box.cells()) {
    in_.resize(std::max({box.nx, box.ny, box.nz}));
    out_.resize(in_.size());
  }

  void planes(Field& field) {
    for (std::size_t z = 0; z < box_.planes(); ++z) {
      Value* const plane = field.data() + z * box_.nx * box_.ny;
      for (std::size_t y = 0; y < box_.ny; ++y) transform(x_, plane + y * box_.nx, box_.nx, 1, in_, out_);
      for (std::size_t x = 0; x < box_.nx; ++x) transform(y_, plane + x, box_.ny, box_.nx, in_, out_);
    }
  }

  void lines(Field& field) {
    for (std::size_t i = 0; i < box_.slices() * box_.ny; ++i) {
      transform(z_, field.data() + i * box_.nz, box_.nz, 1, in_, out_);
    }
  }

  // From planes to slices: the block for a rank holds its slices of the planes of this rank, [x][y][z].
  void to_slices(Field& field) {
    Value* next = sent_.data();
    for (std::size_t x = 0; x < box_.nx; ++x) {
      for (std::size_t y = 0; y < box_.ny; ++y) {
        for (std::size_t z = 0; z < box_.planes(); ++z) *next++ = field[(z * box_.ny + y) * box_.nx + x];
      }
    }
    exchange();
    next = received_.data();
    for (std::size_t from = 0; from < box_.ranks; ++from) {
      for (std::size_t i = 0; i < box_.slices() * box_.ny; ++i) {
        for (std::size_t z = 0; z < box_.planes(); ++z) field[i * box_.nz + from * box_.planes() + z] = *next++;
      }
    }
  }

  // From slices back to planes.
  void to_planes(Field& field) {
    Value* next = sent_.data();
    for (std::size_t to = 0; to < box_.ranks; ++to) {
      for (std::size_t i = 0; i < box_.slices() * box_.ny; ++i) {
        for (std::size_t z = 0; z < box_.planes(); ++z) *next++ = field[i * box_.nz + to * box_.planes() + z];
      }
    }
    exchange();
    next = received_.data();
    for (std::size_t x = 0; x < box_.nx; ++x) {
      for (std::size_t y = 0; y < box_.ny; ++y) {
        for (std::size_t z = 0; z < box_.planes(); ++z) field[(z * box_.ny + y) * box_.nx + x] = *next++;
      }
    }
  }

 private:
  void exchange() {
    received_.resize(sent_.size());
    const int block = static_cast<int>(box_.cells() / box_.ranks);
    MPI_Alltoall(sent_.data(), block, MPI_CXX_DOUBLE_COMPLEX, received_.data(), block, MPI_CXX_DOUBLE_COMPLEX,
                 MPI_COMM_WORLD);
  }

  Box box_;
  kissfft<double> x_, y_, z_;
  Field sent_, received_, in_, out_;
};

constexpr double diffusivity = 1e-3;
constexpr std::array<double, 3> waves{1, 2, 3};  // along x, y and z

double turn(double wave, std::size_t i, std::size_t n) {
  return 2 * std::numbers::pi * wave * static_cast<double>(i) / static_cast<double>(n);
}

double decay(double wave, double time) {
  return std::exp(-diffusivity * 4 * std::numbers::pi * std::numbers::pi * wave * wave * time);
}

// The exact temperature in the planes of this rank.
Field temperature(const Box& box, double time) {
  Field field(box.cells());
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::size_t x = i % box.nx;
    const std::size_t y = i / box.nx % box.ny;
    const std::size_t z = box.rank * box.planes() + i / (box.nx * box.ny);
    field[i] = decay(waves[0], time) * std::cos(turn(waves[0], x, box.nx)) +
               decay(waves[1], time) * std::sin(turn(waves[1], y, box.ny)) +
               decay(waves[2], time) * std::cos(turn(waves[2], z, box.nz));
  }
  return field;
}

// The wave number of element i of a transform.
double wave_of(std::size_t i, std::size_t n) {
  return i <= n / 2 ? static_cast<double>(i) : static_cast<double>(i) - static_cast<double>(n);
}

// The largest difference from the exact solution over all steps and ranks.
double largest_error(const Box& box, int steps) {
  Transform forward(box, false);
  Transform backward(box, true);
  Field spectrum = temperature(box, 0);
  forward.planes(spectrum);
  forward.to_slices(spectrum);
  forward.lines(spectrum);
  const double scale = 1.0 / static_cast<double>(box.nx * box.ny * box.nz);
  double largest = 0;
  for (int step = 1; step <= steps; ++step) {
    Field field(spectrum.size());
    for (std::size_t i = 0; i < field.size(); ++i) {
      const double kz = wave_of(i % box.nz, box.nz);
      const double ky = wave_of(i / box.nz % box.ny, box.ny);
      const double kx = wave_of(box.rank * box.slices() + i / (box.nz * box.ny), box.nx);
      field[i] = spectrum[i] * decay(std::sqrt(kx * kx + ky * ky + kz * kz), step) * scale;
    }
    backward.lines(field);
    backward.to_planes(field);
    backward.planes(field);
    const Field exact = temperature(box, step);
    for (std::size_t i = 0; i < field.size(); ++i) largest = std::max(largest, std::abs(field[i] - exact[i]));
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

int run(const std::string& size, int steps) {
  int ranks = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::map<std::string, std::array<std::size_t, 3>> classes{
      {"S", {64, 64, 64}}, {"W", {128, 128, 32}}, {"A", {256, 256, 128}}};
  const auto found = classes.find(size);
  const auto count = static_cast<std::size_t>(ranks);
  if (found == classes.end() || steps < 1 || found->second[0] % count != 0 || found->second[2] % count != 0) {
    if (rank == 0)
      std::fputs(
          "transpose_fft: expected class S, W or A, at least 1 step, and a number of ranks that divides the box\n",
          stderr);
    return 2;
  }
  const auto [nx, ny, nz] = found->second;
  const double error = largest_error({nx, ny, nz, count, static_cast<std::size_t>(rank)}, steps);
  const bool is_correct = error < 1e-12;
  if (rank == 0) {
    std::printf("%zu x %zu x %zu, %d steps: %s\n", nx, ny, nz, steps,
                is_correct ? "equals the exact solution" : "WRONG");
  }
  return is_correct ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::string size = "S";
  int steps = 6;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--class") size = argv[i + 1];
    if (std::string(argv[i]) == "--steps") steps = std::atoi(argv[i + 1]);
  }
  const int code = run(size, steps);
  MPI_Finalize();
  return code;
}
