#include "laxity/metrics/run_directory.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "laxity/error.hpp"
#include "laxity/metrics/run_tables.hpp"
#include "temporary_folder.hpp"

namespace laxity {
namespace {

Manifest coloring(std::int64_t nodes = 2048) {
  static constexpr const char* words[] = {"laxity", "color", "--output", "it's here"};
  Manifest manifest = manifest_of_this_machine("coloring", "first-light", 4, words);
  manifest.seed = ~std::uint64_t{0};
  manifest.configuration = {{"nodes_per_worker", nodes},
                            {"modes", std::vector<std::int64_t>{0, 3}},
                            {"packing", std::string("pooled")},
                            {"jitter", 0.5}};
  return manifest;
}

void write_run(RunTables& tables, std::int64_t run) {
  tables.add(WorkerRow{.run = run, .updates = 50, .elapsed_ns = 1'000'000'000});
  tables.add(run, LinkSnapshot{});
  tables.add(PictureRow{.run = run});
  tables.add(MessageRow{.run = run, .fate = "shown"});
  tables.finish_run({.run = run, .mode = 3, .mode_name = "none", .shape = "1t"});
}

nlohmann::json manifest_in(const std::filesystem::path& path) {
  return nlohmann::json::parse(text_of(path / "manifest.json"));
}

TEST(RunDirectory, HoldsTheManifestFromTheStart) {
  const TemporaryFolder folder;
  const auto path = folder.path / "runs" / "first-light";
  RunDirectory directory(path, coloring(), table_formats());
  const auto json = manifest_in(path);
  EXPECT_EQ(json["format"], 2);
  EXPECT_EQ(json["kind"], "coloring");
  EXPECT_EQ(json["status"], "running");
  EXPECT_EQ(json["command_line"], "laxity color --output 'it'\\''s here'");
  EXPECT_EQ(json["seed"], ~std::uint64_t{0});
  EXPECT_EQ(json["configuration"]["modes"], (std::vector<int>{0, 3}));
  EXPECT_GE(json["cores"], 1);
  directory.note_placement("2 workers");
  directory.note_placement("2 workers");
  directory.finish("done");
  EXPECT_EQ(manifest_in(path)["status"], "done");
  EXPECT_EQ(manifest_in(path)["placement"].size(), 1U);
  EXPECT_NE(manifest_in(path)["end"], "");
}

TEST(RunDirectory, GoesOnWithTheRunsThatAreDone) {
  const TemporaryFolder folder;
  {
    const RunDirectory directory(folder.path, coloring(), table_formats());
    EXPECT_TRUE(directory.runs_done().empty());
    RunTables tables(directory);
    write_run(tables, 0);
    write_run(tables, 1);
    tables.finish_run({.run = 2, .mode_name = "none", .shape = "1t", .status = "failed"});
  }
  // A run that was being written when the power went: rows in other tables, half a row in its own.
  append_to(folder.path / "workers.csv", "3,0,0,0,50,1000000000,50,done\n3,1,0,1,5");
  append_to(folder.path / "runs.csv", "3,3,none,1t,1,1");

  const RunDirectory again(folder.path, coloring(), table_formats());
  EXPECT_EQ(again.runs_done(), (std::set<std::int64_t>{0, 1}));
  for (const TableFormat& table : table_formats()) {
    const auto rows = read_csv(folder.path / table.file);
    ASSERT_EQ(rows.size(), 3U) << table.file;
    EXPECT_EQ(rows[0], (std::vector<std::string>(table.columns.begin(), table.columns.end())));
    EXPECT_EQ(rows[1][0], "0");
    EXPECT_EQ(rows[2][0], "1");
  }
}

TEST(RunDirectory, RefusesAnotherConfigurationAndSaysWhatDiffers) {
  const TemporaryFolder folder;
  { const RunDirectory directory(folder.path, coloring(2048), table_formats()); }
  const std::string before = text_of(folder.path / "manifest.json");
  try {
    const RunDirectory directory(folder.path, coloring(1), table_formats());
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("nodes_per_worker was 2048, now 1"), std::string::npos) << error.what();
  }
  EXPECT_EQ(text_of(folder.path / "manifest.json"), before);
  Manifest other_seed = coloring(2048);
  other_seed.seed = 7;
  EXPECT_THROW(RunDirectory(folder.path, other_seed, table_formats()), UsageError);
}

TEST(RunDirectory, RefusesAManifestItCannotRead) {
  for (const char* const text : {"", "{", "[]", "{\"format\": 1}", "\xff\xfe", "{\"format\": \"2\"}"}) {
    const TemporaryFolder folder;
    append_to(folder.path / "manifest.json", text);
    EXPECT_THROW(RunDirectory(folder.path, coloring(), table_formats()), UsageError) << text;
  }
}

TEST(RunDirectory, RefusesTablesWithoutAManifest) {
  const TemporaryFolder folder;
  append_to(folder.path / "runs.csv", "somebody's data\n");
  EXPECT_THROW(RunDirectory(folder.path, coloring(), table_formats()), UsageError);
  EXPECT_EQ(text_of(folder.path / "runs.csv"), "somebody's data\n");
}

TEST(RunDirectory, RefusesASecondWriter) {
  const TemporaryFolder folder;
  const RunDirectory first(folder.path, coloring(), table_formats());
  EXPECT_THROW(RunDirectory(folder.path, coloring(), table_formats()), UsageError);
}

TEST(RunDirectory, NamesAPathThatCannotBeWritten) {
  const TemporaryFolder folder;
  append_to(folder.path / "file", "");
  try {
    const RunDirectory directory(folder.path / "file" / "run", coloring(), table_formats());
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("file/run"), std::string::npos);
  }
}

TEST(RunTables, WriteOneRowASnapshotWithTheRawCountsOfTheWindow) {
  const TemporaryFolder folder;
  const RunDirectory directory(folder.path, coloring(), table_formats());
  RunTables tables(directory);
  LinkSnapshot snapshot{.snapshot = 2, .key = {0, 0, 1, 6}, .neighbor_kind = NeighborKind::process, .channels = 64};
  snapshot.answered = true;
  snapshot.receiver_before = {1'000, 10};
  snapshot.receiver_after = {3'000, 30};
  snapshot.inlet_after = {.attempted = 100, .refused = 25, .superseded = 1};
  snapshot.outlet_after = {.pulls = 20, .laden = 5, .received = 10, .superseded = 2, .touches = 10};
  tables.add(4, snapshot);
  tables.finish_run({.run = 4, .shape = "2p"});
  const auto rows = read_csv(folder.path / "qos.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1],
            (std::vector<std::string>{"4", "2",   "0",    "0",   "1",   "6",  "process", "64", "1", "2000", "20", "100",
                                      "2", "200", "0.25", "0.5", "100", "75", "3",       "20", "5", "10",   "10"}));
}

}  // namespace
}  // namespace laxity
