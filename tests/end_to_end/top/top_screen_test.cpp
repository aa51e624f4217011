#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/laxity/top/screen.hpp"
#include "apps/laxity/top/text_table.hpp"

namespace laxity::cli {
namespace {

// What a line shows, without colors.
std::string plain(const std::string& line) { return unstyled(line); }

bool any_has(const std::vector<std::string>& lines, const std::string& text) {
  return std::ranges::any_of(lines,
                             [&](const std::string& line) { return plain(line).find(text) != std::string::npos; });
}

JobFigures job_of(int workers) {
  JobFigures job{.pid = 4711, .command = "laxity color --threads 2", .team = "2t", .state = "running", .seconds = 62};
  for (int id = 0; id < workers; ++id) {
    WorkerFigures worker{.id = id, .state = "running", .updates_per_second = 1e6 + id};
    worker.metric = {1000, 2.5, 2500, id == 3 ? 0.5 : 0.0, 0.25};
    worker.exchanges = true;
    for (auto& course : worker.course) course = {1, 2, 4, 8};
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
  EXPECT_NE(plain(lines[0]).find("> host-a 4711 2t running"), std::string::npos);
  EXPECT_NE(plain(lines[0]).find("host-a:4711 host 1 of 2: laxity color"), std::string::npos);
  EXPECT_NE(plain(lines[1]).find("host-b 4711 2t running"), std::string::npos);
  EXPECT_NE(plain(lines[1]).find("host-a:4711 host 2 of 2: laxity color"), std::string::npos);
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
  EXPECT_NE(plain(lines[0]).find("4711 2t running"), std::string::npos);
  EXPECT_NE(plain(lines[1]).find("thread: 25.0% refused"), std::string::npos);
  EXPECT_NE(plain(lines[2]).find("latency"), std::string::npos);
  EXPECT_NE(plain(lines[3]).find("running"), std::string::npos);
  EXPECT_NE(plain(lines[3]).find("1M"), std::string::npos);
  EXPECT_NE(plain(lines[9]).find("q quit"), std::string::npos);
}

TEST(TopScreen, NumbersOfAnySizeFitTheirColumns) {
  JobFigures job = job_of(2);
  job.workers[0].updates_per_second = 3.48e6;
  job.workers[0].metric = {3.48e4, 3.48e4, 3.48e12, 1, 1};
  job.workers[1].metric = {0.25, 999.96, 99.96e6, 0.99996, 1e-9};
  const auto lines = draw({job}, {}, 80, 12);
  EXPECT_TRUE(any_has(lines, "0       running   3.48M 100.0%   34.8k    3480s   34.8us  100.0%")) << plain(lines[3]);
  EXPECT_TRUE(any_has(lines, "100.0%      1k    100ms   0.25ns    0.0%")) << plain(lines[4]);
}

TEST(TopScreen, AWideTerminalHasACourseOfTheRateAndOfEveryMetric) {
  JobFigures job = job_of(1);
  const std::vector<std::string> bars{"▁█", "▂█", "▃█", "▄█", "▅█", "▆█"};
  for (std::size_t of = 0; of < courses; ++of) job.workers[0].course[of] = {static_cast<double>(of), 7};
  const auto wide = draw({job}, {}, 200, 12), narrow = draw({job}, {.sort = 3}, 80, 12);
  for (const std::string& each : bars) EXPECT_TRUE(any_has(wide, each)) << each;
  EXPECT_TRUE(any_has(narrow, bars[2])) << "the course of what is sorted by: the latency";
  EXPECT_FALSE(any_has(narrow, bars[0]));
}

TEST(TopScreen, ASimulationHasARateOfEventsAndNoMetricsOfMessages) {
  JobFigures job = job_of(1);
  job.simulates = true;
  job.committed_per_second = 2e6;
  job.updates_per_second = 12345;  // turns of a loop
  job.workers[0].exchanges = false;
  job.workers[0].committed_per_second = 2e6;
  job.workers[0].updates_per_second = 12345;
  const auto lines = draw({job}, {}, 100, 20);
  EXPECT_TRUE(any_has(lines, "running 2M/s"));
  EXPECT_TRUE(any_has(lines, "2M events per second"));
  EXPECT_TRUE(any_has(lines, "0       running      2M      -       -        -        -       -"));
  EXPECT_FALSE(any_has(lines, "12.3k"));
}

TEST(TopScreen, ATallTerminalHasAHeaderAndTheChannelsOfTheSelectedWorker) {
  const auto tall = draw({job_of(6)}, {.selected = 2}, 120, 40), low = draw({job_of(6)}, {.selected = 2}, 120, 12);
  EXPECT_EQ(plain(tall[1]), "laxity color --threads 2");
  EXPECT_TRUE(any_has(tall, "process 4711 for 1 min 2 s, team 2t, 6 workers: 6 running, "));
  EXPECT_TRUE(any_has(tall, "channels of worker 2"));
  EXPECT_TRUE(any_has(tall, "1>2 0:0"));
  EXPECT_FALSE(any_has(low, "channels of worker 2"));
}

TEST(TopScreen, MarksTroubleInColor) {
  JobFigures job = job_of(4);
  job.workers[1].state = "stalled";
  const auto lines = draw({job}, {}, 100, 12);
  const auto colored = [&](const std::string& text) {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(colored(styled("stalled", Style::bad)));
  EXPECT_TRUE(colored(styled("running", Style::good)));
  EXPECT_TRUE(colored(styled("50.0%", Style::warning))) << "of worker 3";
  EXPECT_EQ(without_colors(styled("x", Style::bad) + "y"), "xy");
  EXPECT_EQ(without_colors(styled("x", Style::selected)), styled("x", Style::selected));
}

TEST(TopScreen, PagesThroughManyWorkers) {
  const std::vector<JobFigures> jobs{job_of(40)};
  TopView view{.page = 8};
  const auto after = [&](char key) {
    EXPECT_TRUE(apply_key(key, view, jobs));
    return view.selected;
  };
  EXPECT_EQ(after(key_page_down), 8U);
  EXPECT_EQ(after(key_page_down), 16U);
  EXPECT_EQ(after(key_page_up), 8U);
  EXPECT_EQ(after(key_last), 39U);
  EXPECT_EQ(after(key_down), 39U) << "there are no more";
  EXPECT_EQ(after(key_page_down), 39U);
  EXPECT_TRUE(any_has(draw(jobs, view, 100, 14), "39      running"));
  EXPECT_EQ(after(key_up), 38U);
  EXPECT_EQ(after(key_first), 0U);
  EXPECT_EQ(after(key_page_up), 0U);
}

TEST(TopScreen, HelpNamesTheKeysAndAnyKeyEndsIt) {
  TopView view;
  EXPECT_TRUE(apply_key('?', view, {job_of(2)}));
  const auto lines = draw({job_of(2)}, view, 120, 20);
  for (const char* text : {"page up", "delivery failure rate", "the next job"})
    EXPECT_TRUE(any_has(lines, text)) << text;
  EXPECT_FALSE(any_has(lines, "running"));
  EXPECT_TRUE(apply_key('s', view, {job_of(2)}));
  EXPECT_FALSE(view.help);
  EXPECT_EQ(view.sort, 0U);
}

TEST(TopScreen, SortsTheWorstFirst) {
  const auto lines = draw({job_of(6)}, {.sort = 5}, 100, 12);  // by failures
  EXPECT_TRUE(plain(lines[3]).starts_with("3 "));
}

TEST(TopScreen, FiltersWhatIsInTrouble) {
  JobFigures job = job_of(6);
  job.workers[1].state = "stalled";
  const auto lines = draw({job}, {.only_troubled = true}, 100, 12);
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

TEST(TextTable, CutsWhatIsShownAndNotTheColors) {
  const std::string text = styled("größe", Style::bad) + " ab";
  EXPECT_EQ(columns_of(text), 8U);
  EXPECT_EQ(unstyled(cut(text, 4)), "größ");
  EXPECT_TRUE(cut(text, 4).ends_with("\x1b[0m"));
  EXPECT_EQ(cut(text, 8), text);
  EXPECT_EQ(row_of({{"a"}, {"b", Style::bold}, {"rest"}}, {3, 4, 0}, 12),
            "a      " + styled("b", Style::bold) + " res");
}

TEST(Sparkline, IsScaledToItsLargestAndShowsTheLastValues) {
  EXPECT_EQ(sparkline({0, 4, 8}, 8), "▁▅█");
  EXPECT_EQ(sparkline({9, 1, 1}, 2), "██");
  EXPECT_EQ(sparkline({0, 0}, 8), "▁▁");
  EXPECT_EQ(sparkline({}, 8), "");
}

}  // namespace
}  // namespace laxity::cli
