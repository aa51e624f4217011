#include "laxity/metrics/run_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/metrics/disturbance.hpp"
#include "laxity/metrics/tables.hpp"
#include "laxity/metrics/team_tables.hpp"
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

// The tables of kind coloring, as far as a run directory is concerned.
struct Tables {
  explicit Tables(const RunDirectory& directory)
      : runs(directory.path()),
        workers(directory.path()),
        qos(directory.path()),
        picture(directory.path()),
        messages(directory.path()),
        disturbances(directory.path()) {}

  void finish_run(std::int64_t run, std::string_view status) {
    runs.add(column<"run">(run), column<"mode">(3), column<"mode_name">("none"), column<"shape">("1t"),
             column<"threads">(1), column<"processes">(1), column<"workers">(1), column<"replicate">(0),
             column<"seed">(1), column<"nodes_per_worker">(1), column<"duration_ns">(1), column<"nodes">(1),
             column<"edges">(0), column<"updates_total">(50), column<"updates_per_second_per_worker">(50.0),
             column<"conflicts">(0), column<"work">(0), column<"guard">("lock-free"), column<"fault">("none"),
             column<"reaction">("none"), column<"parts_per_worker">(1), column<"moves">(0), column<"hosts">(1),
             column<"mesh">("shared"), column<"status">(status));
    runs.flush();
  }

  void write_run(std::int64_t run) {
    add_row(workers, WorkerRow{.run = run, .updates = 50, .elapsed_ns = 1'000'000'000});
    add_row(qos, run, LinkSnapshot{});
    picture.add(column<"run">(run), column<"when">("after"), column<"node">(0), column<"x">(0), column<"y">(0),
                column<"color">(2));
    messages.add(column<"run">(run), column<"layer">(0), column<"from_worker">(0), column<"to_worker">(1),
                 column<"channel">(0), column<"message">(0), column<"sent_ns">(1), column<"seen_ns">(2),
                 column<"refused_before">(0), column<"fate">("shown"));
    workers.flush();
    qos.flush();
    picture.flush();
    messages.flush();
    add_rows(disturbances, run, std::vector<Disturbance>(1));
    finish_run(run, "done");
  }

  TableWriter<tables::coloring_runs> runs;
  WorkersTable workers;
  QosTable qos;
  TableWriter<tables::picture> picture;
  TableWriter<tables::messages> messages;
  DisturbancesTable disturbances;
};

nlohmann::json manifest_in(const std::filesystem::path& path) {
  return nlohmann::json::parse(text_of(path / "manifest.json"));
}

TEST(RunDirectory, HoldsTheManifestFromTheStart) {
  const TemporaryFolder folder;
  const auto path = folder.path / "runs" / "first-light";
  RunDirectory directory(path, coloring());
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
  EXPECT_FALSE(is_done_study(path));
  EXPECT_FALSE(is_done_study(folder.path));
  directory.finish("done");
  EXPECT_TRUE(is_done_study(path));
  EXPECT_EQ(manifest_in(path)["status"], "done");
  EXPECT_EQ(manifest_in(path)["placement"].size(), 1U);
  EXPECT_NE(manifest_in(path)["end"], "");
}

TEST(RunDirectory, GoesOnWithTheRunsThatAreDone) {
  const TemporaryFolder folder;
  {
    const RunDirectory directory(folder.path, coloring());
    EXPECT_TRUE(directory.runs_done().empty());
    Tables tables(directory);
    tables.write_run(0);
    tables.write_run(1);
    tables.finish_run(2, "failed");
  }
  // A run that was being written when the power went: rows in other tables, half a row in its own.
  append_to(folder.path / "workers.csv", "3,0,0,0,50,1000000000,50,done\n3,1,0,1,5");
  append_to(folder.path / "runs.csv", "3,3,none,1t,1,1");

  const RunDirectory again(folder.path, coloring());
  EXPECT_EQ(again.runs_done(), (std::set<std::int64_t>{0, 1}));
  for (const TableDescription* table : tables::coloring_kind) {
    const auto rows = read_csv(folder.path / table->file);
    ASSERT_EQ(rows.size(), 3U) << table->file;
    EXPECT_TRUE(std::ranges::equal(rows[0], table->columns, {}, {}, &ColumnDescription::name)) << table->file;
    EXPECT_EQ(rows[1][0], "0");
    EXPECT_EQ(rows[2][0], "1");
  }
}

TEST(RunDirectory, RefusesAnotherConfigurationAndSaysWhatDiffers) {
  const TemporaryFolder folder;
  { const RunDirectory directory(folder.path, coloring(2048)); }
  const std::string before = text_of(folder.path / "manifest.json");
  try {
    const RunDirectory directory(folder.path, coloring(1));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("nodes_per_worker was 2048, now 1"), std::string::npos) << error.what();
  }
  EXPECT_EQ(text_of(folder.path / "manifest.json"), before);
  Manifest other_seed = coloring(2048);
  other_seed.seed = 7;
  EXPECT_THROW(RunDirectory(folder.path, other_seed), UsageError);
}

TEST(RunDirectory, RefusesAManifestItCannotRead) {
  for (const char* const text : {"", "{", "[]", "{\"format\": 1}", "\xff\xfe", "{\"format\": \"2\"}"}) {
    const TemporaryFolder folder;
    append_to(folder.path / "manifest.json", text);
    EXPECT_THROW(RunDirectory(folder.path, coloring()), UsageError) << text;
  }
}

TEST(RunDirectory, RefusesTablesWithoutAManifest) {
  const TemporaryFolder folder;
  append_to(folder.path / "runs.csv", "somebody's data\n");
  EXPECT_THROW(RunDirectory(folder.path, coloring()), UsageError);
  EXPECT_EQ(text_of(folder.path / "runs.csv"), "somebody's data\n");
}

TEST(RunDirectory, RefusesASecondWriter) {
  const TemporaryFolder folder;
  const RunDirectory first(folder.path, coloring());
  EXPECT_THROW(RunDirectory(folder.path, coloring()), UsageError);
}

TEST(RunDirectory, NamesAPathThatCannotBeWritten) {
  const TemporaryFolder folder;
  append_to(folder.path / "file", "");
  try {
    const RunDirectory directory(folder.path / "file" / "run", coloring());
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("file/run"), std::string::npos);
  }
}

}  // namespace
}  // namespace laxity
