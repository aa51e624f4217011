// Laxity's own algorithms give what the MPI library gives: for all datatypes and operations, with late processes.
#include "laxity/collective/algorithms/own_collectives.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace laxity::collective {
namespace {

int rank_of(MPI_Comm comm) { return mpi::rank_in(comm); }
int size_of(MPI_Comm comm) { return mpi::size_of(comm); }

/// A communicator, freed at the end.
class Subset {
 public:
  Subset(int color, int key) { MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm_); }
  Subset(const Subset&) = delete;
  Subset& operator=(const Subset&) = delete;
  ~Subset() { MPI_Comm_free(&comm_); }
  [[nodiscard]] MPI_Comm comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Every process in turn is late, so that contributions come in different orders.
void be_late_in_turn(MPI_Comm comm, int turn) {
  if (turn % size_of(comm) == rank_of(comm)) std::this_thread::sleep_for(std::chrono::microseconds(200));
}

struct Case {
  MPI_Datatype type;
  MPI_Op operation;
  std::vector<std::byte> mine;  // `count` elements, gaps included
};

/// Runs an own reduction and the library's, to several roots or to all, from two buffers and in place.
template <class IsEqual>
void expect_like_the_library(Collective collective, const Case& each, int count, MPI_Comm comm, IsEqual is_equal) {
  const int size = size_of(comm), rank = rank_of(comm);
  const bool has_root = collective == Collective::reduce;
  int turn = 0;
  for (const Algorithm& algorithm : own_algorithms(collective)) {
    for (const int root : has_root ? std::set<int>{0, size / 2, size - 1} : std::set<int>{0}) {
      std::vector<std::byte> expected(each.mine.size(), std::byte{0x5a});
      if (has_root)
        MPI_Reduce(each.mine.data(), expected.data(), count, each.type, each.operation, root, comm);
      else
        MPI_Allreduce(each.mine.data(), expected.data(), count, each.type, each.operation, comm);
      for (const bool in_place : {false, true}) {
        const bool receives = !has_root || rank == root;
        std::vector<std::byte> found(each.mine.size(), std::byte{0x5a});
        if (in_place && receives) found = each.mine;
        const void* const send = in_place && receives ? MPI_IN_PLACE : each.mine.data();
        const Reduction reduction{send, found.data(), count, each.type, each.operation};
        be_late_in_turn(comm, turn++);
        const mpi::Result result = has_root ? own_reduce(OwnAlgorithm{algorithm.id}, reduction, root, comm)
                                            : own_allreduce(OwnAlgorithm{algorithm.id}, reduction, comm);
        ASSERT_TRUE(result.succeeded()) << algorithm.name << ": " << result.text();
        if (receives)
          EXPECT_TRUE(is_equal(found, expected)) << name_of(collective) << ' ' << algorithm.name << " root " << root
                                                 << " count " << count << (in_place ? " in place" : "");
        else
          EXPECT_EQ(found, std::vector<std::byte>(found.size(), std::byte{0x5a})) << "a process that is not the root";
      }
    }
  }
}

template <class Element>
std::vector<std::byte> bytes_of(const std::vector<Element>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(Element));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

constexpr auto same_bytes = [](const auto& a, const auto& b) { return a == b; };
constexpr std::array<int, 4> counts{0, 1, 5, 20'000};

std::vector<std::int64_t> numbers(MPI_Comm comm, int count) {
  std::vector<std::int64_t> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), 3 + 1000 * rank_of(comm));
  return made;
}

TEST(OwnCollectives, ReduceIntegersLikeTheLibrary) {
  for (const Collective collective : {Collective::reduce, Collective::allreduce})
    for (const int count : counts)
      for (const MPI_Op operation : {MPI_SUM, MPI_BXOR})
        expect_like_the_library(collective, {MPI_INT64_T, operation, bytes_of(numbers(MPI_COMM_WORLD, count))}, count,
                                MPI_COMM_WORLD, same_bytes);
}

TEST(OwnCollectives, ReduceOnPartsOfTheWorldInAnotherOrder) {
  const int rank = rank_of(MPI_COMM_WORLD);
  for (int repeat = 0; repeat < 2; ++repeat) {  // a communicator that is freed takes its duplicate along
    const Subset subset(rank % 2, -rank);
    for (const Collective collective : {Collective::reduce, Collective::allreduce})
      expect_like_the_library(collective, {MPI_INT64_T, MPI_SUM, bytes_of(numbers(subset.comm(), 7))}, 7, subset.comm(),
                              same_bytes);
  }
}

struct Located {
  double value;
  int place;
};

TEST(OwnCollectives, ReducePairsOfAValueAndItsPlace) {
  const int rank = rank_of(MPI_COMM_WORLD);
  std::vector<Located> mine;
  for (int i = 0; i < 40; ++i) mine.push_back({static_cast<double>((i * 7 + rank * 5) % 11), rank});
  const auto same = [](const auto& a, const auto& b) {
    for (std::size_t at = 0; at < a.size(); at += sizeof(Located)) {
      Located x{}, y{};
      std::memcpy(&x, a.data() + at, sizeof(x));
      std::memcpy(&y, b.data() + at, sizeof(y));
      if (x.value != y.value || x.place != y.place) return false;
    }
    return true;
  };
  for (const MPI_Op operation : {MPI_MINLOC, MPI_MAXLOC})
    for (const Collective collective : {Collective::reduce, Collective::allreduce})
      expect_like_the_library(collective, {MPI_DOUBLE_INT, operation, bytes_of(mine)}, 40, MPI_COMM_WORLD, same);
}

/// A datatype of 2 x 2 matrices with a gap behind each, and their product, which does not commute.
using Matrix = std::array<std::int64_t, 5>;
constexpr std::int64_t modulus = 9973, gap = 0x5a5a5a5a5a5a5a5a;

extern "C" void multiply(void* left, void* right, int* count, MPI_Datatype* /*type*/) {
  for (int i = 0; i < *count; ++i) {
    std::array<std::int64_t, 4> a{}, b{};
    std::byte* const to = static_cast<std::byte*>(right) + static_cast<std::size_t>(i) * sizeof(Matrix);
    std::memcpy(a.data(), static_cast<std::byte*>(left) + static_cast<std::size_t>(i) * sizeof(Matrix), sizeof(a));
    std::memcpy(b.data(), to, sizeof(b));
    const std::array<std::int64_t, 4> product{
        (a[0] * b[0] + a[1] * b[2]) % modulus, (a[0] * b[1] + a[1] * b[3]) % modulus,
        (a[2] * b[0] + a[3] * b[2]) % modulus, (a[2] * b[1] + a[3] * b[3]) % modulus};
    std::memcpy(to, product.data(), sizeof(product));
  }
}

TEST(OwnCollectives, CombineInTheOrderOfRanksWhatDoesNotCommuteAndLeaveGapsAlone) {
  MPI_Datatype four = MPI_DATATYPE_NULL, matrix = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_INT64_T, &four);
  MPI_Type_create_resized(four, 0, sizeof(Matrix), &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op product = MPI_OP_NULL;
  MPI_Op_create(multiply, 0, &product);
  const int rank = rank_of(MPI_COMM_WORLD);
  for (const int count : {1, 3, 500}) {
    std::vector<Matrix> mine;
    for (int i = 0; i < count; ++i) mine.push_back({1 + rank, 2 + i, 3, 4 + rank * i, gap});
    for (const Collective collective : {Collective::reduce, Collective::allreduce})
      expect_like_the_library(collective, {matrix, product, bytes_of(mine)}, count, MPI_COMM_WORLD, same_bytes);
  }
  MPI_Op_free(&product);
  MPI_Type_free(&matrix);
  MPI_Type_free(&four);
}

// Floating-point sums depend on the order of additions.
TEST(OwnCollectives, InRankOrderSumsAreBitIdenticalWhoeverIsLate) {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  constexpr std::size_t count = 300;
  const auto element = [](int of, std::size_t i) { return 1.0 / (1.0 + 3.0 * of + 0.1 * static_cast<double>(i)); };
  std::vector<double> mine(count), expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    mine[i] = element(rank, i);
    expected[i] = element(size - 1, i);
    for (int before = size - 2; before >= 0; --before) expected[i] = element(before, i) + expected[i];
  }
  for (int late = 0; late < size; ++late) {
    for (int root = 0; root < size; ++root) {
      std::vector<double> sum(count);
      be_late_in_turn(MPI_COMM_WORLD, late);
      ASSERT_TRUE(own_reduce(OwnAlgorithm::rank_order, {mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM}, root,
                             MPI_COMM_WORLD)
                      .succeeded());
      EXPECT_TRUE(rank != root || bytes_of(sum) == bytes_of(expected)) << "root " << root << ", late " << late;
    }
  }
}

TEST(OwnCollectives, ExchangeBlocksLikeTheLibrary) {
  const int size = size_of(MPI_COMM_WORLD), rank = rank_of(MPI_COMM_WORLD);
  int turn = 0;
  for (const int count : {0, 1, 5, 2000}) {  // the last blocks are sent when their receivers are there
    std::vector<std::int32_t> mine(static_cast<std::size_t>(size * count));
    std::iota(mine.begin(), mine.end(), 100'000 * rank);
    std::vector<std::int32_t> expected(mine.size(), -1), found(mine.size(), -1), in_place = mine;
    MPI_Alltoall(mine.data(), count, MPI_INT32_T, expected.data(), count, MPI_INT32_T, MPI_COMM_WORLD);
    for (int repeat = 0; repeat < 3; ++repeat) {
      be_late_in_turn(MPI_COMM_WORLD, turn++);
      ASSERT_TRUE(own_alltoall(OwnAlgorithm::arrival_order,
                               {mine.data(), count, MPI_INT32_T, found.data(), count, MPI_INT32_T}, MPI_COMM_WORLD)
                      .succeeded());
      EXPECT_EQ(found, expected) << count;
    }
    ASSERT_TRUE(own_alltoall(OwnAlgorithm::arrival_order,
                             {MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in_place.data(), count, MPI_INT32_T}, MPI_COMM_WORLD)
                    .succeeded());
    EXPECT_EQ(in_place, expected) << count << " in place";
  }
}

TEST(OwnCollectives, ExchangeBlocksOfTwoDatatypes) {
  const int size = size_of(MPI_COMM_WORLD), rank = rank_of(MPI_COMM_WORLD);
  MPI_Datatype every_second = MPI_DATATYPE_NULL;  // of eight numbers
  MPI_Type_vector(4, 1, 2, MPI_INT32_T, &every_second);
  MPI_Type_commit(&every_second);
  std::vector<std::int32_t> mine(static_cast<std::size_t>(size) * 8);
  std::iota(mine.begin(), mine.end(), 1000 * rank);
  std::vector<std::int32_t> expected(static_cast<std::size_t>(size) * 4), found = expected;
  MPI_Alltoall(mine.data(), 1, every_second, expected.data(), 4, MPI_INT32_T, MPI_COMM_WORLD);
  ASSERT_TRUE(own_alltoall(OwnAlgorithm::arrival_order, {mine.data(), 1, every_second, found.data(), 4, MPI_INT32_T},
                           MPI_COMM_WORLD)
                  .succeeded());
  EXPECT_EQ(found, expected);
  MPI_Type_free(&every_second);
}

// A receive of the program that would take any message takes none of a collective's.
TEST(OwnCollectives, KeepTheirMessagesFromThoseOfTheProgram) {
  const int size = size_of(MPI_COMM_WORLD), rank = rank_of(MPI_COMM_WORLD);
  int got = -1, sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  ASSERT_TRUE(
      own_allreduce(OwnAlgorithm::arrival_order, {&rank, &sum, 1, MPI_INT, MPI_SUM}, MPI_COMM_WORLD).succeeded());
  EXPECT_EQ(sum, size * (size - 1) / 2);
  int arrived = 1;
  MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
  EXPECT_EQ(arrived, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(got, (rank + size - 1) % size);
}

TEST(OwnCollectives, AnAlgorithmOfAnotherCollectiveIsRefused) {
  int one = 1, sum = 0;
  EXPECT_EQ(own_reduce(OwnAlgorithm::pre_reduced_ring, {&one, &sum, 1, MPI_INT, MPI_SUM}, 0, MPI_COMM_WORLD).code,
            MPI_ERR_ARG);
  EXPECT_EQ(own_alltoall(OwnAlgorithm::rank_order, {&one, 1, MPI_INT, &sum, 1, MPI_INT}, MPI_COMM_WORLD).code,
            MPI_ERR_ARG);
}

}  // namespace
}  // namespace laxity::collective
