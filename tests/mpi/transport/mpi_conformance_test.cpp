// The transport contract, checked on links over MPI. Overwriting links over messages deliver later than the contract
// requires, see mpi_links_test.cpp.
#include "tests/conformance/transport_suite.hpp"
#include "tests/mpi/transport/over_mpi.hpp"

namespace laxity::conformance {
namespace {

using Links = testing::Types<OverMpi<MpiVariant::two_sided, false>, OverMpi<MpiVariant::ready_send, false>,
                             OverMpi<MpiVariant::one_sided, false>, OverMpi<MpiVariant::one_sided, true>>;
INSTANTIATE_TYPED_TEST_SUITE_P(OverMpi, TransportConformance, Links, NameOfType);

}  // namespace
}  // namespace laxity::conformance
