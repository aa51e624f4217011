#include <gtest/gtest.h>

#include <vector>

#include "apps/laxity/top/report.hpp"
#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

JobFigures job_with_everything() {
  JobFigures job{
      .pid = 7, .name = "a:7", .host = "a", .host_index = 1, .hosts = 2, .command = "laxity color", .team = "2r"};
  job.state = "running";
  job.seconds = 1.5;
  job.memory_bytes = 99;
  job.updates_per_second = 1e6;
  job.simulates = true;
  job.efficiency = 0.5;
  job.committed_per_second = 3;
  job.gvt = 12.5;
  job.workers.push_back(
      {.id = 3, .pid = 8, .state = "stalled", .updates = 5, .gvt = 2, .course = {{{1, 2, 3}, {4, 5}}}});
  job.workers.push_back({.id = 4, .metric = {1, 2, 3, 4, 5}});
  job.links.push_back({.key = {0, 3, 4, 5}, .kind = NeighborKind::host, .sender_is_here = false});
  job.kinds.push_back({.kind = NeighborKind::host, .links = 1, .refused_per_second = 8});
  return job;
}

TEST(TopReport, ComesOutAsItWentIn) {
  const std::vector<HostFigures> hosts{{"a", false}, {"b", true}};
  for (const std::vector<JobFigures>& jobs :
       {std::vector<JobFigures>{}, {job_with_everything()}, {job_with_everything(), {}, job_with_everything()}}) {
    const std::vector<JobFigures> again = unpacked(packed(jobs));
    EXPECT_EQ(to_json(hosts, again), to_json(hosts, jobs));  // all that scripts see
    ASSERT_EQ(again.size(), jobs.size());
    if (jobs.empty()) continue;
    EXPECT_EQ(again[0].workers[0].course, jobs[0].workers[0].course);
  }
}

TEST(TopReport, ThatIsCutShortIsRefused) {
  const std::vector<std::byte> report = packed({job_with_everything()});
  for (std::size_t bytes = 0; bytes < report.size(); ++bytes)
    EXPECT_THROW(static_cast<void>(unpacked(std::span(report).first(bytes))), Error);
}

TEST(TopReport, OfHalfALinkTellsScriptsTheFiguresOfThatHalf) {
  JobFigures job = job_with_everything();
  const std::string receiver = to_json({}, {job});
  job.links[0].sender_is_here = true;
  job.links[0].receiver_is_here = false;
  const auto count = [](const std::string& text, const std::string& what) {
    int found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  const std::string sender = to_json({}, {job});
  EXPECT_EQ(count(receiver, "delivery_failure_rate"), 2);  // of the workers only
  EXPECT_EQ(count(receiver, "delivery_clumpiness"), 3);
  EXPECT_EQ(count(sender, "delivery_failure_rate"), 3);
  EXPECT_EQ(count(sender, "delivery_clumpiness"), 2);
}

}  // namespace
}  // namespace laxity::cli
