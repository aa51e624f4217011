// Each service on one cell.
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "workloads/evolution/world/peripheral.hpp"
#include "workloads/evolution/world/services/birth.hpp"
#include "workloads/evolution/world/services/controls.hpp"
#include "workloads/evolution/world/services/death.hpp"
#include "workloads/evolution/world/services/diversity.hpp"
#include "workloads/evolution/world/services/event_conditions.hpp"
#include "workloads/evolution/world/services/expiration.hpp"
#include "workloads/evolution/world/services/facts.hpp"
#include "workloads/evolution/world/services/harvest.hpp"
#include "workloads/evolution/world/services/resource_receiving.hpp"
#include "workloads/evolution/world/services/resource_sending.hpp"
#include "workloads/evolution/world/services/spawning.hpp"
#include "workloads/evolution/world/services/stockpile_decay.hpp"

namespace laxity::evolution {
namespace {

class Services : public testing::Test {
 protected:
  Services() {
    Genome genome = random_genome(20, context.random);
    const GenomeHeader header = genome;
    come_alive(cell, {header, std::make_shared<const LoadedProgram>(genome.program)}, Cell::no_parent, context);
    for (CardinalState& state : neighbor_states) state.set(Fact::alive, 1);
  }

  void set(std::size_t direction, Control control, float value) {
    cell.cardinals[direction].state.writable[static_cast<std::size_t>(control)] = value;
  }
  void set_group_size(std::size_t level, int size) {  // by the bits of one neighbor
    cell.quorum[level] = {};
    cell.quorum[level].found(context.random);
    std::array<Quorum::Message, directions> messages{};
    for (int bit = 0; cell.quorum[level].size() < size; ++bit) {
      messages[0].known |= Quorum::Bits{1} << bit;
      cell.quorum[level].receive(messages, false);
    }
  }
  void expect_closed_account() { EXPECT_NEAR(cell.stockpile, context.account.stock(), 1e-12); }

  Parameters parameters;
  ServiceContext context{parameters, SeededRandom(1)};
  Cell cell{CpuLimits{.cores = 4}};
  std::array<CardinalState, directions> neighbor_states{};
  NeighborStates neighbors{&neighbor_states[0], &neighbor_states[1], &neighbor_states[2], &neighbor_states[3]};
};

TEST_F(Services, AStockpileDecaysFasterInAGroupThatIsTooLarge) {
  decay_stockpile(cell, context);
  EXPECT_DOUBLE_EQ(cell.stockpile, 0.8 * 0.995);
  set_group_size(0, 9);  // three above the best size
  const double before = cell.stockpile;
  decay_stockpile(cell, context);
  EXPECT_NEAR(cell.stockpile, before * std::pow(0.995, 1 + 8), 1e-15);
  EXPECT_NEAR(context.account[ResourceTerm::group_size], before * 0.995 * (1 - std::pow(0.995, 8)), 1e-15);
  expect_closed_account();
}

TEST_F(Services, AGroupHarvestsForEachOtherMemberUpToItsBestSize) {
  harvest(cell, context);
  EXPECT_DOUBLE_EQ(cell.stockpile, 0.82);
  harvest_as_group(cell, context);
  EXPECT_DOUBLE_EQ(cell.stockpile, 0.82);  // alone at both levels
  set_group_size(0, 4);
  set_group_size(1, 40);
  harvest_as_group(cell, context);
  EXPECT_NEAR(cell.stockpile, 0.82 + 0.02 * (3 + 24), 1e-12);
  expect_closed_account();
}

TEST_F(Services, ResourceIsSentAsControlsSay) {
  set(0, Control::send_fraction, 0.5F);
  set(1, Control::send_fraction, 0.5F);
  set(1, Control::reserve, 0.4F);
  set(2, Control::send_fraction, 9);  // at most all
  set(2, Control::send_limit, 0.1F);
  const Amounts sent = send_resource(cell, neighbors, context);
  const double a = 0.4, b = 0.2, c = 0.1, sum = a + b + c;
  EXPECT_NEAR(sent[0], a * a / sum, 1e-6);
  EXPECT_NEAR(sent[1], b * b / sum, 1e-6);
  EXPECT_NEAR(sent[2], c * c / sum, 1e-6);
  EXPECT_EQ(sent[3], 0);
  expect_closed_account();
}

TEST_F(Services, NothingIsSentToTheDeadAndNothingThatIsNoNumber) {
  set(0, Control::send_fraction, 1);
  neighbor_states[0] = {};
  set(1, Control::send_fraction, std::numeric_limits<float>::quiet_NaN());
  set(2, Control::send_fraction, -1);
  EXPECT_EQ(send_resource(cell, neighbors, context), Amounts{});
  EXPECT_EQ(cell.stockpile, 0.8);
}

TEST_F(Services, ACellThatSendsAllHasNothingLess) {
  set(0, Control::send_fraction, 1);
  for (int i = 0; i < 1000; ++i) {
    cell.stockpile = context.random.unit();
    static_cast<void>(send_resource(cell, neighbors, context));
    ASSERT_GE(cell.stockpile, 0);
    ASSERT_LT(cell.stockpile, 1e-6);
  }
}

TEST_F(Services, ReceivedResourceDecaysAndTheDeadSendItBack) {
  const Amounts received{0.5F, 0.25F, 0, 0};
  EXPECT_EQ(receive_resource(cell, received, context), Amounts{});
  EXPECT_NEAR(cell.stockpile, 0.8 + 0.75 * 0.995 * 0.995, 1e-12);
  EXPECT_NEAR(context.account[ResourceTerm::receipt_decay], 0.75 * (1 - 0.995 * 0.995), 1e-12);
  expect_closed_account();
  static_cast<void>(die(cell, context));
  EXPECT_EQ(receive_resource(cell, received, context), received);
  EXPECT_EQ(cell.stockpile, 0);
}

TEST_F(Services, HeirsReceiveEqualParts) {
  set(1, Control::heir, 1);
  set(3, Control::heir, 1);
  const Amounts paid = die(cell, context);
  EXPECT_NEAR(paid[1], 0.4, 1e-7);
  EXPECT_NEAR(paid[3], 0.4, 1e-7);
  EXPECT_FALSE(cell.alive);
  EXPECT_LT(context.account[ResourceTerm::lost], 1e-7);
  expect_closed_account();
}

TEST_F(Services, WithoutHeirsTheStockpileIsLost) {
  EXPECT_EQ(die(cell, context), Amounts{});
  EXPECT_DOUBLE_EQ(context.account[ResourceTerm::lost], 0.8);
  EXPECT_EQ(context.account[ResourceTerm::apoptosis], 0);
  expect_closed_account();
}

TEST_F(Services, ADeathOnRequestCreatesResourceForTheHeirs) {
  set(0, Control::apoptosis, 1);
  set(2, Control::heir, 1);
  EXPECT_TRUE(cell.asks_to_die());
  EXPECT_NEAR(die(cell, context)[2], 0.8 + 0.8, 1e-6);
  EXPECT_DOUBLE_EQ(context.account[ResourceTerm::apoptosis], 0.8);
  expect_closed_account();
}

TEST_F(Services, ACellRepelsWhatItCanAffordAndTheNextReplacesIt) {
  cell.stockpile = 2.5;
  EXPECT_EQ(contest(cell, {false, true, true, false}, context), directions);
  EXPECT_DOUBLE_EQ(cell.stockpile, 0.5);
  EXPECT_EQ(contest(cell, {false, false, true, false}, context), 2U);
  cell.alive = false;
  cell.stockpile = 9;
  EXPECT_EQ(contest(cell, {true, false, false, false}, context), 0U);
  EXPECT_EQ(context.tallies.repelled, 2U);
  EXPECT_EQ(context.account[ResourceTerm::defense], 2);
}

TEST_F(Services, OffspringFoundsTheInnermostGroupsOfItsReplicationLevel) {
  context.update = 80;
  const KinGroups before = cell.genome.kin;
  const Inheritance stays = inherit({cell.genome, cell.program, 0}, context);
  EXPECT_EQ(stays.header.kin, before);
  EXPECT_EQ(stays.program, cell.program);  // shared: this level does not mutate
  const Inheritance founds = inherit({cell.genome, cell.program, 1}, context);
  EXPECT_NE(founds.header.kin.ids[0], before.ids[0]);
  EXPECT_EQ(founds.header.kin.ancestors[0], before.ids[0]);
  EXPECT_EQ(founds.header.kin.founded_epoch[0], 10U);
  EXPECT_EQ(founds.header.kin.ids[1], before.ids[1]);
  EXPECT_EQ(founds.header.descent.generations[1], 1U);
}

TEST_F(Services, RequestsForOffspringAreServedWhileTheStockpileLasts) {
  set(0, Control::spawn, 1);
  set(1, Control::spawn, 1);
  set(2, Control::spawn, 1);
  set(3, Control::spawn, 1);
  set(3, Control::spawn_arrest, 1);
  set(0, Control::replication_level, 7);
  set(1, Control::replication_level, 7);
  set(2, Control::replication_level, 7);
  cell.stockpile = 2.5;
  std::vector<std::size_t> served;
  const auto accept = [&](std::size_t direction, const Inheritance& offspring) {
    EXPECT_EQ(offspring.replication_level, 2U);
    served.push_back(direction);
    return true;
  };
  spawn(cell, context, accept);
  EXPECT_DOUBLE_EQ(cell.stockpile, 0.5);
  ASSERT_EQ(served.size(), 2U);
  EXPECT_NE(served[0], served[1]);
  EXPECT_LT(served[0], 3U);
  EXPECT_LT(served[1], 3U);
}

TEST_F(Services, OffspringThatTheMeshRefusesCostsNothing) {
  set(0, Control::spawn, 1);
  cell.stockpile = 2;
  spawn(cell, context, [](std::size_t, const Inheritance&) { return false; });
  EXPECT_EQ(cell.stockpile, 2);
  EXPECT_EQ(context.tallies.refused_spawns, 1U);
  EXPECT_EQ(context.tallies.spawns, 0U);
}

TEST_F(Services, OldKinGroupsExpire) {
  const auto expired = [&](std::uint32_t epochs) {
    context.update = epochs * parameters.periods.exchange;
    int count = 0;
    for (int i = 0; i < 1000; ++i) count += expires(cell, context);
    return count;
  };
  EXPECT_EQ(expired(10'000), 0);
  EXPECT_NEAR(expired(10'003), 300, 75);  // 5 standard deviations
  EXPECT_EQ(expired(10'010), 1000);
}

TEST_F(Services, ControlsReturnToTheirDefaultsAndMemoryStays) {
  set(0, Control::spawn, 1);
  cell.cardinals[0].state.writable[control_count] = 5;
  return_to_baseline(cell);
  EXPECT_FALSE(cell.cardinals[0].state.is_set(Control::spawn));
  EXPECT_EQ(cell.cardinals[0].state.writable[control_count], 5);
}

TEST_F(Services, ControlsAreDefectiveWithTheirProbability) {
  parameters.control_defect = 0.01;
  int defects = 0;
  for (int i = 0; i < 1000; ++i) {
    return_to_baseline(cell);
    disturb_controls(cell, context);
    for (const Cardinal& cardinal : cell.cardinals) {
      for (std::size_t which = 0; which < control_count; ++which) defects += cardinal.state.writable[which] != 0;
    }
  }
  EXPECT_NEAR(defects, 360, 5 * std::sqrt(360.));
}

TEST_F(Services, ALineageThatIsTooCommonLosesStockpile) {
  std::vector<Cell> cells;
  for (std::uint64_t i = 0; i < 8; ++i) {
    Cell& other = cells.emplace_back(CpuLimits{.cores = 1});
    other.alive = true;
    other.genome.descent.lineage = i < 3 ? 1 : 10 + i;
  }
  Diversity diversity;
  diversity.count(cells, 0.25);
  cells[0].stockpile = cells[7].stockpile = 1;
  diversity.maintain(cells[0], context);
  diversity.maintain(cells[7], context);
  EXPECT_DOUBLE_EQ(cells[0].stockpile, 0.5);  // 3 of at most 2 cells
  EXPECT_DOUBLE_EQ(cells[7].stockpile, 1);
  EXPECT_DOUBLE_EQ(context.account[ResourceTerm::diversity], 0.5);
}

TEST_F(Services, EventsFollowFromTheStatesOfBothSides) {
  context.update = 16;
  cell.parent = 1;
  neighbor_states[0].set_id(CardinalState::kin_0, cell.genome.kin.ids[0]);
  neighbor_states[0].set_id(CardinalState::lineage, cell.genome.descent.lineage);
  neighbor_states[0].set(Fact::stockpile, 2);
  neighbor_states[2] = {};
  refresh_facts(cell, neighbors, context);
  const auto happens = [&](std::size_t direction, Event event) {
    return events_of(cell.cardinals[direction].state, neighbor_states[direction],
                     parameters)[static_cast<std::size_t>(event)];
  };
  EXPECT_TRUE(happens(0, Event::kin_match_0));
  EXPECT_FALSE(happens(0, Event::kin_match_1));
  EXPECT_TRUE(happens(0, Event::kin_mismatch_1));
  EXPECT_TRUE(happens(0, Event::lineage_match));
  EXPECT_TRUE(happens(0, Event::poorer_than_neighbor));
  EXPECT_TRUE(happens(1, Event::child_cell_of_neighbor));
  EXPECT_FALSE(happens(0, Event::child_cell_of_neighbor));
  EXPECT_TRUE(happens(2, Event::neighbor_not_alive));
  EXPECT_FALSE(happens(2, Event::kin_mismatch_0));
  EXPECT_FALSE(happens(0, Event::newborn));
  EXPECT_TRUE(happens(0, Event::quorum_not_exceeded_0));
}

TEST_F(Services, ProgramsReadAndWriteTheStatesThatTagsSelect) {
  std::vector<SentPacket> sent;
  refresh_facts(cell, neighbors, context);
  neighbor_states[0].writable[3] = 42;
  neighbor_states[0].id_halves[9] = 0x8000'0000U;
  CardinalPeripheral peripheral(cell, 0, neighbor_states[0], sent, {5, 0}, 2);
  peripheral.write_own_state(17 * 3 + 2, 1.5F);
  EXPECT_EQ(cell.cardinals[0].state.control(Control::replication_level), 1.5F);
  peripheral.add_to_own_state(2, 1);
  peripheral.multiply_own_state(2, 2);
  EXPECT_EQ(peripheral.read_own_state(44 + 2), 5.F);
  EXPECT_EQ(peripheral.read_own_state(17), 1.F);  // alive
  EXPECT_EQ(peripheral.read_neighbor_state(61 + 3), 42.F);
  EXPECT_EQ(peripheral.read_neighbor_state(44 + 9), 0.5F);
  EXPECT_EQ(peripheral.read_neighbor_state(44 + 10 + 3), cell.cardinals[0].state.fact(Fact::stockpile));
  for (Tag tag = 0; tag < 3; ++tag) peripheral.send_to_neighbor(tag, {});
  EXPECT_EQ(sent.size(), 2U);  // a third is lost
  peripheral.send_in_cell(6, 9, {});
  EXPECT_EQ(cell.cardinals[2].inbox.at(0).tag, 9U);
  for (int i = 0; i < 10; ++i) peripheral.broadcast_in_cell(1, {});
  EXPECT_EQ(cell.cardinals[0].inbox.size(), 0U);
  EXPECT_EQ(cell.cardinals[1].inbox.size(), 4U);  // as many as it has cores
}

}  // namespace
}  // namespace laxity::evolution
