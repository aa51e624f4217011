// Heat conduction in a periodic box by three-dimensional Fourier transforms: the mini-application for collectives. Each
// rank has a pencil of the box, which is complete along one axis; the transform along the next axis needs an all-to-all
// exchange.
//
//   mpirun -n 4 transpose_fft [--class S|W|A] [--steps n] [--decomposition slab|pencil]
//
// Ranks form a grid: rows x columns. With slabs there is one row, so that one of the two exchanges of a transform stays
// in the rank and the other one is between all ranks; with pencils both are among the ranks of a row or of a column.
//
// A wave along each axis decays exponentially. The program compares every cell with the exact solution and exits with 1
// if one differs. Source of the problem: NAS Parallel Benchmarks, FT (sizes S 64 x 64 x 64, W 128 x 128 x 32, A 256 x
// 256 x 128).
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

// The cells of a box and the part of this rank. Arrays are [z][y][x] before the transform, [z][x][y] after the first
// exchange and [x][y][z] after the second one.
struct Box {
  std::size_t nx, ny, nz;     // cells
  std::size_t rows, columns;  // of the grid of ranks
  std::size_t row, column;    // of this rank

  [[nodiscard]] std::size_t x_by_row() const { return nx / rows; }
  [[nodiscard]] std::size_t y_by_row() const { return ny / rows; }
  [[nodiscard]] std::size_t y_by_column() const { return ny / columns; }
  [[nodiscard]] std::size_t z_by_column() const { return nz / columns; }
  [[nodiscard]] std::size_t cells() const { return nx * y_by_row() * z_by_column(); }
  [[nodiscard]] bool can_be_divided() const {
    return nx % rows == 0 && ny % rows == 0 && ny % columns == 0 && nz % columns == 0;
  }
};

// Makes an array complete along another axis. Of the source, the ranks of a communicator have a part of `mine` entries
// each along one axis, and all entries along another one, `whole`, in which neighbors are next to each other; the third
// axis has `batch` entries. The destination is [batch][part of whole][all of mine].
class Exchange {
 public:
  struct Shape {
    std::size_t batch, batch_stride;  // strides are those of the source
    std::size_t mine, mine_stride;
    std::size_t whole;
  };

  Exchange(MPI_Comm communicator, const Shape& shape) : communicator_(communicator), shape_(shape) {
    int ranks = 1;
    MPI_Comm_size(communicator, &ranks);
    ranks_ = static_cast<std::size_t>(ranks);
    part_ = shape.whole / ranks_;
    sent_.resize(shape.batch * shape.mine * shape.whole);
    received_.resize(sent_.size());
  }

  void forward(Field& field) {
    for_each([&](std::size_t packed, std::size_t source, std::size_t) { sent_[packed] = field[source]; });
    exchange();
    for_each([&](std::size_t packed, std::size_t, std::size_t destination) { field[destination] = received_[packed]; });
  }

  void backward(Field& field) {
    for_each([&](std::size_t packed, std::size_t, std::size_t destination) { sent_[packed] = field[destination]; });
    exchange();
    for_each([&](std::size_t packed, std::size_t source, std::size_t) { field[source] = received_[packed]; });
  }

 private:
  // Visits the places of every value: in the block of one rank, in the source and in the destination.
  template <class Visit>
  void for_each(Visit visit) const {
    const std::size_t all_of_mine = ranks_ * shape_.mine;
    std::size_t packed = 0;
    for (std::size_t other = 0; other < ranks_; ++other) {
      for (std::size_t b = 0; b < shape_.batch; ++b) {
        for (std::size_t w = 0; w < part_; ++w) {
          const std::size_t source = b * shape_.batch_stride + other * part_ + w;
          const std::size_t destination = (b * part_ + w) * all_of_mine + other * shape_.mine;
          for (std::size_t m = 0; m < shape_.mine; ++m)
            visit(packed++, source + m * shape_.mine_stride, destination + m);
        }
      }
    }
  }

  void exchange() {
    if (ranks_ == 1) return sent_.swap(received_);
    const auto block = static_cast<int>(sent_.size() / ranks_);
    MPI_Alltoall(sent_.data(), block, MPI_CXX_DOUBLE_COMPLEX, received_.data(), block, MPI_CXX_DOUBLE_COMPLEX,
                 communicator_);
  }

  MPI_Comm communicator_;
  Shape shape_;
  std::size_t ranks_ = 1, part_ = 1;
  Field sent_, received_;
};

// Transforms every line of `length` neighboring values.
void transform_lines(kissfft<double>& fft, Field& field, std::size_t length, Field& line) {
  line.resize(length);
  for (std::size_t begin = 0; begin < field.size(); begin += length) {
    fft.transform(field.data() + begin, line.data());
    std::copy(line.begin(), line.end(), field.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

class Transform {
 public:
  Transform(const Box& box, MPI_Comm in_column, MPI_Comm in_row, bool inverse)
      : box_(box),
        x_(box.nx, inverse),
        y_(box.ny, inverse),
        z_(box.nz, inverse),
        x_to_y_(in_column, {box.z_by_column(), box.nx * box.y_by_row(), box.y_by_row(), box.nx, box.nx}),
        y_to_z_(in_row, {box.x_by_row(), box.ny, box.z_by_column(), box.ny * box.x_by_row(), box.ny}) {}

  void forward(Field& field) {
    transform_lines(x_, field, box_.nx, line_);
    x_to_y_.forward(field);
    transform_lines(y_, field, box_.ny, line_);
    y_to_z_.forward(field);
    transform_lines(z_, field, box_.nz, line_);
  }

  void backward(Field& field) {
    transform_lines(z_, field, box_.nz, line_);
    y_to_z_.backward(field);
    transform_lines(y_, field, box_.ny, line_);
    x_to_y_.backward(field);
    transform_lines(x_, field, box_.nx, line_);
  }

 private:
  Box box_;
  kissfft<double> x_, y_, z_;
  Exchange x_to_y_, y_to_z_;
  Field line_;
};

constexpr double diffusivity = 1e-3;
constexpr std::array<double, 3> waves{1, 2, 3};  // along x, y and z

double turn(double wave, std::size_t i, std::size_t n) {
  return 2 * std::numbers::pi * wave * static_cast<double>(i) / static_cast<double>(n);
}

double decay(double wave, double time) {
  return std::exp(-diffusivity * 4 * std::numbers::pi * std::numbers::pi * wave * wave * time);
}

// The exact temperature in the cells of this rank.
Field temperature(const Box& box, double time) {
  Field field(box.cells());
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::size_t x = i % box.nx;
    const std::size_t y = box.row * box.y_by_row() + i / box.nx % box.y_by_row();
    const std::size_t z = box.column * box.z_by_column() + i / (box.nx * box.y_by_row());
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
  MPI_Comm in_row = MPI_COMM_NULL, in_column = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(box.row), static_cast<int>(box.column), &in_row);
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(box.column), static_cast<int>(box.row), &in_column);
  Transform forward(box, in_column, in_row, false);
  Transform backward(box, in_column, in_row, true);
  Field spectrum = temperature(box, 0);
  forward.forward(spectrum);
  const double scale = 1.0 / static_cast<double>(box.nx * box.ny * box.nz);
  double largest = 0;
  for (int step = 1; step <= steps; ++step) {
    Field field(spectrum.size());
    for (std::size_t i = 0; i < field.size(); ++i) {
      const double kz = wave_of(i % box.nz, box.nz);
      const double ky = wave_of(box.column * box.y_by_column() + i / box.nz % box.y_by_column(), box.ny);
      const double kx = wave_of(box.row * box.x_by_row() + i / (box.nz * box.y_by_column()), box.nx);
      field[i] = spectrum[i] * decay(std::sqrt(kx * kx + ky * ky + kz * kz), step) * scale;
    }
    backward.backward(field);
    const Field exact = temperature(box, step);
    for (std::size_t i = 0; i < field.size(); ++i) largest = std::max(largest, std::abs(field[i] - exact[i]));
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Comm_free(&in_row);
  MPI_Comm_free(&in_column);
  return largest;
}

// The largest divisor that is not above the square root: the rows of the squarest grid.
std::size_t rows_of_squarest_grid(std::size_t ranks) {
  std::size_t rows = 1;
  for (std::size_t divisor = 2; divisor * divisor <= ranks; ++divisor)
    if (ranks % divisor == 0) rows = divisor;
  return rows;
}

struct Options {
  std::string size = "S";
  std::string decomposition = "slab";
  int steps = 6;
};

int run(const Options& options) {
  int ranks = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::map<std::string, std::array<std::size_t, 3>> classes{
      {"S", {64, 64, 64}}, {"W", {128, 128, 32}}, {"A", {256, 256, 128}}};
  const auto found = classes.find(options.size);
  const auto all = static_cast<std::size_t>(ranks);
  const std::size_t rows = options.decomposition == "pencil" ? rows_of_squarest_grid(all) : 1;
  const std::size_t columns = all / rows;
  Box box{0, 0, 0, rows, columns, static_cast<std::size_t>(rank) / columns, static_cast<std::size_t>(rank) % columns};
  if (found != classes.end()) {
    box.nx = found->second[0];
    box.ny = found->second[1];
    box.nz = found->second[2];
  }
  const bool is_known = options.decomposition == "slab" || options.decomposition == "pencil";
  if (found == classes.end() || !is_known || options.steps < 1 || !box.can_be_divided()) {
    if (rank == 0)
      std::fputs(
          "transpose_fft: expected class S, W or A, decomposition slab or pencil, at least 1 step, and a number of "
          "ranks that divides the box\n",
          stderr);
    return 2;
  }
  const double error = largest_error(box, options.steps);
  const bool is_correct = error < 1e-12;
  if (rank == 0) {
    std::printf("%zu x %zu x %zu, %d steps: %s\n", box.nx, box.ny, box.nz, options.steps,
                is_correct ? "equals the exact solution" : "WRONG");
  }
  return is_correct ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--class") options.size = argv[i + 1];
    if (std::string(argv[i]) == "--decomposition") options.decomposition = argv[i + 1];
    if (std::string(argv[i]) == "--steps") options.steps = std::atoi(argv[i + 1]);
  }
  const int code = run(options);
  MPI_Finalize();
  return code;
}
