#include "laxity/metrics/csv_table.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>

#include "laxity/error.hpp"
#include "temporary_folder.hpp"

namespace laxity {
namespace {

using Rows = std::vector<std::vector<std::string>>;

TEST(Cell, WritesNumbersThatReadBackTheSame) {
  EXPECT_EQ(cell(0.1), "0.1");
  EXPECT_EQ(cell(1e300), "1e+300");
  EXPECT_EQ(cell(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(cell(-5), "-5");
}

TEST(Cell, QuotesWhatWouldBeRead) {
  EXPECT_EQ(cell("plain"), "plain");
  EXPECT_EQ(cell("a,b"), "\"a,b\"");
  EXPECT_EQ(cell("a \"b\""), "\"a \"\"b\"\"\"");
}

TEST(CsvTable, WritesTheHeaderOnceAndAppends) {
  const TemporaryFolder folder;
  const auto file = folder.path / "t.csv";
  for (int round = 0; round < 2; ++round) {
    CsvTable table(file, {"run", "name"});
    table.add(round, "a,\"b\"");
    table.flush();
  }
  EXPECT_EQ(text_of(file), "run,name\n0,\"a,\"\"b\"\"\"\n1,\"a,\"\"b\"\"\"\n");
  EXPECT_EQ(read_csv(file), (Rows{{"run", "name"}, {"0", "a,\"b\""}, {"1", "a,\"b\""}}));
}

TEST(CsvTable, WritesNothingBeforeFlush) {
  const TemporaryFolder folder;
  CsvTable table(folder.path / "t.csv", {"run"});
  table.add(1);
  EXPECT_EQ(text_of(folder.path / "t.csv"), "");
}

TEST(CsvTable, DropsALastLineThatWasHalfWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path / "t.csv";
  append_to(file, "run,updates\n1,100\n2,10");
  EXPECT_EQ(read_csv(file), (Rows{{"run", "updates"}, {"1", "100"}}));
  CsvTable table(file, {"run", "updates"});
  table.add(2, 100);
  table.flush();
  EXPECT_EQ(text_of(file), "run,updates\n1,100\n2,100\n");
}

TEST(CsvTable, DropsAHalfWrittenHeader) {
  const TemporaryFolder folder;
  append_to(folder.path / "t.csv", "run,upd");
  CsvTable table(folder.path / "t.csv", {"run", "updates"});
  table.flush();
  EXPECT_EQ(text_of(folder.path / "t.csv"), "run,updates\n");
}

TEST(CsvTable, RefusesAFileWithOtherColumns) {
  const TemporaryFolder folder;
  append_to(folder.path / "t.csv", "run,color\n");
  EXPECT_THROW(CsvTable(folder.path / "t.csv", {"run", "updates"}), Error);
}

TEST(CsvTable, NamesTheFileItCannotOpen) {
  try {
    const CsvTable table("/nowhere/t.csv", {"run"});
    FAIL();
  } catch (const SystemError& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/t.csv"), std::string::npos);
  }
}

// A full disk, played by a limit on the size of files; in a child, because a limit cannot be raised again.
TEST(CsvTable, TakesBackARowThatDoesNotFitOnTheDisk) {
  const TemporaryFolder folder;
  const auto file = folder.path / "t.csv";
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    CsvTable table(file, {"text"});
    table.add(std::string(2000, 'a'));
    table.flush();
    table.add(std::string(3000, 'b'));
    try {
      table.flush();
    } catch (const SystemError& error) {
      _exit(std::string(error.what()).find("t.csv") != std::string::npos ? 0 : 2);
    }
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text_of(file), "text\n" + std::string(2000, 'a') + "\n");
}

TEST(ReadColumn, GivesTheNumbersOfAColumn) {
  const TemporaryFolder folder;
  const auto file = folder.path / "t.csv";
  EXPECT_TRUE(read_column(file, "rate").empty()) << "there is no such file";
  append_to(file, "run,name,rate\n0,\"a,b\",1.5\n1,c,2e3\n2,cut sho");
  EXPECT_EQ(read_column(file, "rate"), (std::vector{1.5, 2e3}));
  EXPECT_THROW((void)read_column(file, "speed"), Error);
  EXPECT_THROW((void)read_column(file, "name"), Error);
}

TEST(ReplaceFile, LeavesOnlyTheNewContent) {
  const TemporaryFolder folder;
  append_to(folder.path / "f", "old and long");
  replace_file(folder.path / "f", "new");
  EXPECT_EQ(text_of(folder.path / "f"), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
  EXPECT_THROW(replace_file(folder.path / "no" / "f", "x"), SystemError);
}

}  // namespace
}  // namespace laxity
