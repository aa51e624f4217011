#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/laxity/top/screen.hpp"

namespace laxity::cli {
namespace {

// What a line shows, without the sequences that mark the selected row.
std::string plain(std::string line) {
  for (const std::string sequence : {"\x1b[7m", "\x1b[0m"})
    if (const auto place = line.find(sequence); place != std::string::npos) line.erase(place, sequence.size());
  return line;
}

bool any_has(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

JobFigures job_of(int workers) {
  JobFigures job{.pid = 4711, .command = "laxity color --threads 2", .team = "2t", .state = "running", .seconds = 62};
  for (int id = 0; id < workers; ++id) {
    WorkerFigures worker{.id = id, .state = "running", .updates_per_second = 1e6 + id};
    worker.metric = {1000, 2.5, 2500, id == 3 ? 0.5 : 0.0, 0.25};
    worker.course = {1, 2, 4, 8};
    job.workers.push_back(worker);
    LinkFigures link{.key = {0, static_cast<std::uint32_t>(id), static_cast<std::uint32_t>((id + 1) % workers), 0},
                     .kind = NeighborKind::thread};
    link.metric = worker.metric;
    job.links.push_back(link);
  }
  job.kinds = {{NeighborKind::thread, workers, 100, 25, 3}};
  return job;
}

TEST(TopScreen, NamesTheHostsWhereThereAreSeveralAndTheJobWhosePartsTheyRun) {
  JobFigures one = job_of(2), other = job_of(2);
  one.name = other.name = "host-a:4711";
  one.host = "host-a";
  other.host = "host-b";
  one.hosts = other.hosts = 2;
  other.host_index = 1;
  const auto lines = draw({one, other}, {}, 120, 20);
  EXPECT_NE(lines[0].find("> host-a 4711 2t running"), std::string::npos);
  EXPECT_NE(lines[0].find("host-a:4711 host 1 of 2: laxity color"), std::string::npos);
  EXPECT_NE(lines[1].find("host-b 4711 2t running"), std::string::npos);
  EXPECT_NE(lines[1].find("host-a:4711 host 2 of 2: laxity color"), std::string::npos);
  EXPECT_FALSE(any_has(draw({one}, {}, 120, 20), "host-a 4711"));
}

TEST(TopScreen, OfHalfALinkShowsTheFiguresOfThatHalf) {
  JobFigures job = job_of(2);
  job.links[0].sender_is_here = false;
  job.links[1].receiver_is_here = false;
  const auto lines = draw({job}, {.zoomed = true, .zoomed_worker = 0}, 120, 20);
  EXPECT_TRUE(any_has(lines, "-     2.5"));  // refused, latency
  EXPECT_TRUE(any_has(lines, "0.0%       -"));
}

TEST(TopScreen, FitsTerminalsOfAnySize) {
  const std::vector<JobFigures> jobs{job_of(40), job_of(2)};
  for (const bool zoomed : {false, true}) {
    for (std::size_t width = 0; width < 130; width += 3) {
      for (std::size_t height = 0; height < 50; ++height) {
        const auto lines = draw(jobs, {.selected = 20, .zoomed = zoomed, .zoomed_worker = 1}, width, height);
        EXPECT_EQ(lines.size(), std::max<std::size_t>(height, 0));
        for (const std::string& line : lines) EXPECT_LE(columns_of(plain(line)), width);
      }
    }
  }
}

TEST(TopScreen, ShowsHowFarASimulationIsAndHowMuchOfItsWorkCounts) {
  JobFigures job = job_of(2);
  job.simulates = true;
  job.gvt = 123.5;
  job.efficiency = 0.75;
  job.committed_per_second = 2e6;
  EXPECT_TRUE(any_has(draw({job}, {}, 60, 10), "GVT 123.5, efficiency 75.0%, 2M events/s committed"));
  EXPECT_FALSE(any_has(draw({job_of(2)}, {}, 60, 10), "GVT"));
}

TEST(TopScreen, ShowsWhatMattersOnFortyByTen) {
  const auto lines = draw({job_of(2)}, {}, 40, 10);
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_NE(lines[0].find("4711 2t running"), std::string::npos);
  EXPECT_NE(lines[1].find("thread: 25.0% refused"), std::string::npos);
  EXPECT_NE(lines[2].find("latency"), std::string::npos);
  EXPECT_NE(lines[3].find("running"), std::string::npos);
  EXPECT_NE(lines[3].find("1M"), std::string::npos);
  EXPECT_NE(lines[9].find("q quit"), std::string::npos);
}

TEST(TopScreen, SortsTheWorstFirst) {
  const auto lines = draw({job_of(6)}, {.sort = 5}, 100, 20);  // by failures
  EXPECT_TRUE(plain(lines[3]).starts_with("3 "));
}

TEST(TopScreen, FiltersWhatIsInTrouble) {
  JobFigures job = job_of(6);
  job.workers[1].state = "stalled";
  const auto lines = draw({job}, {.only_troubled = true}, 100, 20);
  EXPECT_TRUE(plain(lines[3]).starts_with("1 "));
  EXPECT_TRUE(plain(lines[4]).starts_with("3 "));
  EXPECT_TRUE(lines[5].empty());
}

TEST(TopScreen, ZoomsIntoTheChannelsOfAWorker) {
  const std::vector<JobFigures> jobs{job_of(6)};
  TopView view;
  for (const char key : {'j', 'j', '\r'}) EXPECT_TRUE(apply_key(key, view, jobs));
  EXPECT_TRUE(view.zoomed);
  EXPECT_EQ(view.zoomed_worker, 2);
  const auto lines = draw(jobs, view, 100, 20);
  EXPECT_TRUE(any_has(lines, "channels of worker 2"));
  EXPECT_TRUE(any_has(lines, "1>2 0:0"));
  EXPECT_TRUE(any_has(lines, "2>3 0:0"));
  EXPECT_FALSE(any_has(lines, "3>4 0:0"));
  EXPECT_TRUE(apply_key('\x1b', view, jobs));
  EXPECT_FALSE(view.zoomed);
  EXPECT_FALSE(apply_key('q', view, jobs));
}

TEST(TopScreen, KeysDoNoHarmWithoutAJob) {
  TopView view;
  for (const char key : {'j', 'k', 's', 'f', 'p', '\t', '\r', '\x1b', 'x'}) EXPECT_TRUE(apply_key(key, view, {}));
  EXPECT_TRUE(any_has(draw({}, view, 80, 5), "no job"));
}

TEST(TopScreen, ACommandLineCannotSteerTheTerminal) {
  JobFigures job = job_of(1);
  job.command = "evil\x1b[2J\n";
  for (const std::string& line : draw({job}, {.selected = 9}, 120, 8))
    EXPECT_EQ(plain(line).find('\x1b'), std::string::npos);
}

TEST(Sparkline, IsScaledToItsLargestAndShowsTheLastValues) {
  EXPECT_EQ(sparkline({0, 4, 8}, 8), "▁▅█");
  EXPECT_EQ(sparkline({9, 1, 1}, 2), "██");
  EXPECT_EQ(sparkline({0, 0}, 8), "▁▁");
  EXPECT_EQ(sparkline({}, 8), "");
}

}  // namespace
}  // namespace laxity::cli
