#include "laxity/metrics/table_writer.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "laxity/metrics/tables.hpp"
#include "laxity/metrics/team_tables.hpp"
#include "temporary_folder.hpp"

namespace laxity {
namespace {

constexpr ColumnDescription trip_columns[]{{"name", CellType::word, "", "", "", "", "", 1},
                                           {"stops", CellType::count, "stops", "", "", "", "", 1},
                                           {"length_km", CellType::real, "km", "", "", "", "", 1}};
constexpr TableDescription trips{"trips", "trips.csv", "One row per trip.", trip_columns};

template <class... Cells>
constexpr bool is_trip(const Cells&...) {
  return is_row_of<Cells...>(trips);
}

TEST(TableWriter, TakesOnlyRowsOfItsTable) {
  EXPECT_TRUE(is_trip(column<"name">("coast"), column<"stops">(3U), column<"length_km">(1.5)));
  EXPECT_FALSE(is_trip(column<"name">("coast"), column<"stops">(3U))) << "a column is missing";
  EXPECT_FALSE(is_trip(column<"stops">(3U), column<"name">("coast"), column<"length_km">(1.5))) << "another order";
  EXPECT_FALSE(is_trip(column<"name">("coast"), column<"halts">(3U), column<"length_km">(1.5))) << "another name";
  EXPECT_FALSE(is_trip(column<"name">("coast"), column<"stops">(3.0), column<"length_km">(1.5))) << "another type";
  EXPECT_FALSE(is_trip(column<"name">(1), column<"stops">(3U), column<"length_km">(1.5))) << "a number for words";
}

TEST(TableWriter, WritesTheColumnsOfTheDescription) {
  const TemporaryFolder folder;
  TableWriter<trips> table(folder.path);
  table.add(column<"name">("a, b"), column<"stops">(3U), column<"length_km">(1.5));
  table.flush();
  EXPECT_EQ(text_of(folder.path / "trips.csv"), "name,stops,length_km\n\"a, b\",3,1.5\n");
}

TEST(Tables, GiveEveryColumnANameATypeAndAMeaning) {
  for (const StudyKind& kind : tables::kinds) {
    std::set<std::string_view> files;
    for (const TableDescription* table : kind.tables) {
      EXPECT_TRUE(files.insert(table->file).second) << kind.name << " has two tables " << table->file;
      EXPECT_NE(table->find("run"), nullptr) << table->name << ": runs join the tables of a study";
      std::set<std::string_view> names;
      for (const ColumnDescription& column : table->columns) {
        EXPECT_TRUE(names.insert(column.name).second) << table->name << ' ' << column.name;
        EXPECT_FALSE(column.meaning.empty()) << table->name << ' ' << column.name;
        EXPECT_LE(column.since, tables::format) << table->name << ' ' << column.name;
        for (const std::string_view unit : {"ns", "us", "s"})
          EXPECT_TRUE(column.unit != unit || column.name == "seconds" || column.name.ends_with("_" + std::string(unit)))
              << table->name << ' ' << column.name << ": the unit of a time is part of its name";
      }
    }
    EXPECT_TRUE(files.contains("runs.csv")) << kind.name;
  }
}

TEST(Tables, GiveTheMetricsOfThePaperAFormulaAndASource) {
  for (const std::string_view name : {"simstep_period_ns", "simstep_latency_updates", "walltime_latency_ns",
                                      "delivery_failure_rate", "delivery_clumpiness"}) {
    const ColumnDescription* const metric = tables::qos.find(name);
    ASSERT_NE(metric, nullptr) << name;
    EXPECT_FALSE(metric->unit.empty() || metric->formula.empty() || metric->source.empty()) << name;
  }
  EXPECT_EQ(tables::qos.find("happiness"), nullptr);
}

TEST(QosTable, HasOneRowPerSnapshotWithTheRawCountsOfTheWindow) {
  const TemporaryFolder folder;
  QosTable table(folder.path);
  LinkSnapshot snapshot{.snapshot = 2, .key = {0, 0, 1, 6}, .neighbor_kind = NeighborKind::process, .channels = 64};
  snapshot.answered = true;
  snapshot.receiver_before = {1'000, 10};
  snapshot.receiver_after = {3'000, 30};
  snapshot.inlet_after = {.attempted = 100, .refused = 25, .superseded = 1};
  snapshot.sender_before = {1'500, 0};
  snapshot.sender_after = {3'500, 8};
  snapshot.outlet_after = {
      .pulls = 20, .laden = 5, .received = 10, .superseded = 2, .touches = 10, .timed = 4, .one_way_ns = 50};
  add_row(table, 4, snapshot);
  table.flush();
  const auto rows = read_csv(folder.path / "qos.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"4",    "2",  "0",   "0",  "1",   "6",    "process", "64",  "1",
                                               "2000", "20", "100", "2",  "200", "0.25", "0.5",     "100", "75",
                                               "3",    "20", "5",   "10", "10",  "250",  "4",       "12.5"}));
}

}  // namespace
}  // namespace laxity
