// The main function of every test over several ranks: initializes and finalizes MPI; rank 0 prints the results, every rank
// its failures. The exit code is 1 on all ranks if a test failed on any of them.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace {

/// Prints failures with the rank.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, part.file_name() != nullptr ? part.file_name() : "?",
                 part.line_number(), part.message());
  }

 private:
  int rank_;
};

/// True for MPICH 4.0 over UCX between hosts: a rank may wait in MPI_Finalize for one that has already left it.
bool may_hang_in_finalize() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view version(text.data());
  const std::size_t number = version.find_first_of("0123456789");
  return version.starts_with("MPICH") && number != version.npos && version.substr(number).starts_with("4.0") &&
         std::getenv("LAXITY_TWO_HOSTS") != nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  int granted = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(std::make_unique<FailurePrinter>(rank).release());
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (may_hang_in_finalize()) {
    std::fflush(nullptr);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, failed);  // all ranks have run all tests; with 0 the launcher ends with 0 too
  }
  MPI_Finalize();
  return failed;
}
