// A call of MPI that fails in any module throws an error that names the operation.
#include "laxity/mpi_call.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>

#include "laxity/clock/clock_identity.hpp"
#include "laxity/clock/mpi_start.hpp"
#include "laxity/clock/mpi_sync.hpp"
#include "laxity/collective/benchmark/operation.hpp"
#include "laxity/launch/mpi_reports.hpp"
#include "laxity/launch/mpi_status_exchange.hpp"
#include "laxity/transport/mpi.hpp"

namespace laxity {
namespace {

class MpiCall : public testing::Test {
 protected:
  // The version of the standard decides which of the two has the error handler for a null communicator.
  void SetUp() override {
    for (const MPI_Comm communicator : {MPI_COMM_WORLD, MPI_COMM_SELF})
      mpi::check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN));
  }
  void TearDown() override {
    for (const MPI_Comm communicator : {MPI_COMM_WORLD, MPI_COMM_SELF})
      mpi::check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(communicator, MPI_ERRORS_ARE_FATAL));
  }

  static void expect_error_of(const std::string& operation, const std::function<void()>& step) {
    try {
      step();
      ADD_FAILURE() << "no error of " << operation;
    } catch (const MpiError& error) {
      EXPECT_EQ(std::string(error.what()).find(operation + ": "), 0U) << error.what();
      EXPECT_GT(std::string(error.what()).size(), operation.size() + 2) << "MPI's own description follows";
      EXPECT_NE(error.code(), MPI_SUCCESS);
    }
  }
};

TEST_F(MpiCall, ThatFailsThrowsItsNameAndItsErrorCode) {
  const int nobody = mpi::size_of(MPI_COMM_WORLD);
  int word = 0;
  expect_error_of("MPI_Send", [&] { mpi::check("MPI_Send", MPI_Send(&word, 1, MPI_INT, nobody, 0, MPI_COMM_WORLD)); });
  const mpi::Result refused{"MPI_Send", MPI_Send(&word, 1, MPI_INT, nobody, 0, MPI_COMM_WORLD)};
  EXPECT_FALSE(refused.succeeded());
  EXPECT_EQ(refused.text().find("MPI_Send: "), 0U) << refused.text();
  int error_class = MPI_SUCCESS;
  mpi::check("MPI_Error_class", MPI_Error_class(refused.code, &error_class));
  EXPECT_EQ(error_class, MPI_ERR_RANK);
}

TEST_F(MpiCall, ThatSucceedsDoesNothing) {
  EXPECT_NO_THROW(mpi::check("MPI_Barrier", MPI_Barrier(MPI_COMM_WORLD)));
  EXPECT_TRUE(mpi::Result().succeeded());
}

TEST_F(MpiCall, NamesTheOperationInEveryModule) {
  expect_error_of("MPI_Comm_dup", [] { MpiLinks links(MPI_COMM_NULL); });
  expect_error_of("MPI_Comm_rank", [] { MpiReports reports(MPI_COMM_NULL); });
  expect_error_of("MPI_Comm_rank", [] { MpiStatusExchange exchange(MPI_COMM_NULL); });
  expect_error_of("MPI_Comm_split_type", [] { static_cast<void>(suitable_waiting(MPI_COMM_NULL)); });
  expect_error_of("MPI_Comm_rank", [] {
    static_cast<void>(synchronize_clock(MPI_COMM_NULL, [] { return std::int64_t{0}; }, steady_clock_identity(), {}));
  });
  expect_error_of("MPI_Comm_rank",
                  [] { collective::Operation operation(collective::Collective::barrier, 0, MPI_COMM_NULL); });
}

}  // namespace
}  // namespace laxity
