// The transport contract, checked on every transport within one host.
#include "tests/conformance/transport_fixtures.hpp"
#include "tests/conformance/transport_suite.hpp"

namespace laxity::conformance {
namespace {

using Transports = testing::Types<InThread<SpscRing>, BetweenThreads<SpscRing>, BetweenProcesses<SpscRing>,
                                  ByName<SpscRing>, InThread<OverwritingRing>, BetweenThreads<OverwritingRing>,
                                  BetweenProcesses<OverwritingRing>, InThread<LatestSlot>, BetweenThreads<LatestSlot>,
                                  BetweenProcesses<LatestSlot>, InThread<MutexRing>, BetweenThreads<MutexRing>,
                                  BetweenProcesses<MutexRing>, ChosenAtRunTime<SpscRing>, ChosenAtRunTime<LatestSlot>,
                                  WithoutFaults<SpscRing>, WithoutFaults<OverwritingRing>, Limited, OwnTransport>;
INSTANTIATE_TYPED_TEST_SUITE_P(OneNode, TransportConformance, Transports, NameOfType);

}  // namespace
}  // namespace laxity::conformance
