#include "apps/laxity/top/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "apps/laxity/top/text_table.hpp"
#include "laxity/cli/progress_line.hpp"
#include "laxity/cli/short_number.hpp"

namespace laxity::cli {
namespace {

constexpr std::array<std::string_view, courses + 1> sort_names{"worker",   "rate",     "period", "latency",
                                                               "walltime", "failures", "clumps"};
constexpr double troubling_failures = 0.01, bad_failures = 0.5;
constexpr std::size_t failures = 3;  // of the metrics
const std::string unknown(1, '-');

std::string short_share(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::string text_of(std::size_t metric, double value) {
  if (metric == 0 || metric == 2) return short_time(value);
  return metric == 1 ? short_number(value) : short_share(value);
}

Style style_of_failures(double share) {
  return share > bad_failures ? Style::bad : share > troubling_failures ? Style::warning : Style::plain;
}

Style style_of_state(std::string_view state) {
  if (state == "running") return Style::good;
  if (state == "finished" || state == "ended") return Style::dim;
  return state == "waiting" ? Style::warning : Style::bad;
}

double rate_of(const JobFigures& job, const WorkerFigures& worker) {
  return job.simulates ? worker.committed_per_second : worker.updates_per_second;
}

// A simulation counts events: its updates are turns of a loop, and no links are measured.
Cell cell_of(const JobFigures& job, const WorkerFigures& worker, std::size_t metric) {
  const bool is_measured = metric == 0 ? !job.simulates : worker.exchanges;
  if (!is_measured) return {unknown, Style::dim};
  const double value = worker.metric[metric];
  return {text_of(metric, value), metric == failures ? style_of_failures(value) : Style::plain};
}

std::vector<const WorkerFigures*> shown_workers(const JobFigures& job, const TopView& view) {
  std::vector<const WorkerFigures*> shown;
  for (const WorkerFigures& worker : job.workers) {
    const bool troubled = worker.state != "running" || worker.metric[failures] > troubling_failures;
    if (troubled || !view.only_troubled) shown.push_back(&worker);
  }
  if (view.sort == 1)  // the slowest first
    std::ranges::stable_sort(shown, {}, [&](const auto* worker) { return rate_of(job, *worker); });
  if (view.sort >= 2)
    std::ranges::stable_sort(shown, std::greater<>(),
                             [&](const auto* worker) { return worker->metric[view.sort - 2]; });
  return shown;
}

std::vector<const LinkFigures*> shown_links(const JobFigures& job, const TopView& view, int of_worker) {
  std::vector<const LinkFigures*> shown;
  for (const LinkFigures& link : job.links) {
    const auto id = static_cast<std::uint32_t>(of_worker);
    const bool troubled = link.metric[failures] > troubling_failures;
    if ((link.key.from_worker == id || link.key.to_worker == id) && (troubled || !view.only_troubled))
      shown.push_back(&link);
  }
  if (view.sort >= 2)
    std::ranges::stable_sort(shown, std::greater<>(), [&](const auto* link) { return link->metric[view.sort - 2]; });
  return shown;
}

const JobFigures& chosen_of(const std::vector<JobFigures>& jobs, const TopView& view) {
  return jobs[std::min(view.job, jobs.size() - 1)];
}

std::size_t rows_of(const std::vector<JobFigures>& jobs, const TopView& view) {
  if (jobs.empty()) return 0;
  const JobFigures& job = chosen_of(jobs, view);
  return view.zoomed ? shown_links(job, view, view.zoomed_worker).size() : shown_workers(job, view).size();
}

// The rows of a table below its heading.
struct Rows {
  std::string heading;
  std::vector<std::string> rows;
};

// A wide terminal has a course for the rate and for each metric, a narrow one the course of what is sorted by.
Rows worker_rows(const JobFigures& job, const TopView& view, std::size_t width) {
  constexpr std::array<std::size_t, courses> order{0, 1 + failures, 2, 3, 1, 5};  // the rate, then metrics
  constexpr std::array<std::string_view, courses> names{"rate/s", "refus.", "latency", "walltime", "period", "clumps"};
  constexpr std::array<std::size_t, courses> number_widths{7, 6, 7, 8, 8, 7};
  constexpr std::size_t min_course = 6, max_course = 40, of_one = 12;
  std::vector<std::size_t> widths{6, 8};
  const std::size_t numbers =
      std::accumulate(number_widths.begin(), number_widths.end(), widths[0] + 1 + widths[1] + courses);
  const std::size_t rest = width > numbers ? (width - numbers) / courses : 0;
  const bool all_courses = rest >= min_course + 1;
  std::vector<Cell> heading{{"worker"}, {"state"}};
  for (std::size_t place = 0; place < courses; ++place) {
    heading.push_back({std::string(names[place])});
    widths.push_back(number_widths[place]);
    if (all_courses) {
      heading.emplace_back();
      widths.push_back(std::min(rest - 1, max_course));
    }
  }
  if (!all_courses) {
    heading.push_back({"course"});
    widths.push_back(of_one);
  }
  for (Cell& cell : heading) cell.style = Style::bold;
  Rows table{row_of(heading, widths, width), {}};
  for (const WorkerFigures* worker : shown_workers(job, view)) {
    std::vector<Cell> cells{{fmt::format("{}", worker->id)}, {worker->state, style_of_state(worker->state)}};
    for (const std::size_t of : order) {
      cells.push_back(of == 0 ? Cell{short_number(rate_of(job, *worker))} : cell_of(job, *worker, of - 1));
      if (all_courses)
        cells.push_back({cells.back().text == unknown ? "" : sparkline(worker->course[of], widths[3]), Style::dim});
    }
    if (!all_courses) cells.push_back({sparkline(worker->course[view.sort < 2 ? 0 : view.sort - 1], of_one)});
    table.rows.push_back(row_of(cells, widths, width));
  }
  return table;
}

Rows channel_rows(const JobFigures& job, const TopView& view, int of_worker, std::size_t width) {
  const std::vector<std::size_t> widths{12, 7, 7, 7, 7, 8, 8, 7, 10};
  std::vector<Cell> heading{{"channel"},  {"kind"},   {"puts/s"}, {"refus."},    {"latency"},
                            {"walltime"}, {"period"}, {"clumps"}, {"superseded"}};
  for (Cell& cell : heading) cell.style = Style::bold;
  Rows table{row_of(heading, widths, width), {}};
  for (const LinkFigures* link : shown_links(job, view, of_worker)) {
    const auto cell = [&](std::size_t metric, bool is_here) {
      const double value = link->metric[metric];
      if (!is_here) return Cell{unknown, Style::dim};
      return Cell{text_of(metric, value), metric == failures ? style_of_failures(value) : Style::plain};
    };
    const LinkKey& key = link->key;
    table.rows.push_back(row_of({{fmt::format("{}>{} {}:{}", key.from_worker, key.to_worker, key.layer, key.channel)},
                                 {std::string(name_of(link->kind))},
                                 {short_number(link->attempted_per_second)},
                                 cell(failures, link->sender_is_here),
                                 cell(1, link->receiver_is_here),
                                 cell(2, link->receiver_is_here),
                                 cell(0, link->receiver_is_here),
                                 cell(4, link->receiver_is_here),
                                 {short_number(link->superseded_per_second)}},
                                widths, width));
  }
  return table;
}

double rate_of(const JobFigures& job) { return job.simulates ? job.committed_per_second : job.updates_per_second; }

// Hosts are named where there are several, a job where its parts stand on several lines.
std::string job_line(const JobFigures& job, bool chosen, bool with_host) {
  const std::string part =
      job.hosts > 1 ? fmt::format("{} host {} of {}: ", job.name, job.host_index + 1, job.hosts) : "";
  return fmt::format("{} {}{} {} {} {}/s {} {}MB  {}", chosen ? ">" : " ", with_host ? printable(job.host) + ' ' : "",
                     job.pid, job.team, styled(job.state, style_of_state(job.state)), short_number(rate_of(job)),
                     duration_text(job.seconds), job.memory_bytes >> 20, printable(part + job.command));
}

bool are_of_several_hosts(const std::vector<JobFigures>& jobs) {
  return std::ranges::any_of(jobs, [&](const JobFigures& job) { return job.host != jobs.front().host; });
}

// What the job is: its command in full, and how its workers are.
std::vector<std::string> header_of(const JobFigures& job) {
  std::array<std::size_t, 3> counts{};  // running, ended, troubled
  for (const WorkerFigures& worker : job.workers)
    ++counts[worker.state == "running" ? 0 : style_of_state(worker.state) == Style::dim ? 1 : 2];
  std::string workers = fmt::format("{} workers: {} running", job.workers.size(), counts[0]);
  if (counts[1] != 0) workers += fmt::format(", {} finished", counts[1]);
  if (counts[2] != 0) workers += ", " + styled(fmt::format("{} not running", counts[2]), Style::bad);
  return {styled(printable(job.command), Style::bold),
          fmt::format("process {}{} for {}, team {}, {}, {} {} per second{}, {} MB", job.pid,
                      job.host.empty() ? "" : " on " + printable(job.host), duration_text(job.seconds), job.team,
                      workers, short_number(rate_of(job)), job.simulates ? "events" : "updates",
                      job.simulates ? "" : " and worker", job.memory_bytes >> 20)};
}

std::string kinds_line(const JobFigures& job) {
  std::string line;
  if (job.simulates)
    line = fmt::format("GVT {:.6g}, efficiency {}, {} events/s committed", job.gvt, short_share(job.efficiency),
                       short_number(job.committed_per_second));
  for (const KindFigures& kind : job.kinds) {
    const double refused = kind.attempted_per_second > 0 ? kind.refused_per_second / kind.attempted_per_second : 0;
    line +=
        fmt::format("{}{}: {} refused, {}/s superseded", line.empty() ? "" : "; ", name_of(kind.kind),
                    styled(short_share(refused), style_of_failures(refused)), short_number(kind.superseded_per_second));
  }
  return line;
}

const std::vector<std::string>& help_lines() {
  static const std::vector<std::string> lines{
      "up, down, k, j   select a row          page up, page down, b, space   by a page",
      "home, end, g, G  the first, the last row",
      "enter            channels of the selected worker      escape   back to the workers",
      "tab              the next job          s   sort by the next column, worst first",
      "f                only workers that do not run or whose puts are refused",
      "p                pause                 q   quit           ?, h   this help",
      "",
      "rate/s     updates per second, or committed events per second of a simulation",
      "refus.     delivery failure rate: share of the puts that were refused, of the sender",
      "latency    simstep latency: updates of the receiver while a message travels",
      "walltime   walltime latency: the time of those updates",
      "period     simstep period: time per update",
      "clumps     delivery clumpiness: 0 if messages arrive one by one, near 1 if in clumps",
      "bars       the last readings, scaled to their largest; in a narrow terminal those of what is sorted by"};
  return lines;
}

// The lines above the table of the chosen job.
std::vector<std::string> top_lines(const std::vector<JobFigures>& jobs, const TopView& view, std::size_t height) {
  constexpr std::size_t height_for_header = 16;
  std::vector<std::string> lines;
  const std::size_t chosen = std::min(view.job, jobs.size() - 1);
  // A third of the screen lists jobs, beginning with the chosen one.
  const std::size_t listed = std::clamp<std::size_t>(height / 3, 1, jobs.size());
  for (std::size_t place = 0; place < listed; ++place) {
    const std::size_t number = (chosen + place) % jobs.size();
    lines.push_back(job_line(jobs[number], number == chosen, are_of_several_hosts(jobs)));
  }
  if (height >= height_for_header)
    for (std::string& line : header_of(jobs[chosen])) lines.push_back(std::move(line));
  lines.push_back(view.zoomed ? fmt::format("channels of worker {}", view.zoomed_worker) : kinds_line(jobs[chosen]));
  return lines;
}

// Appends the rows around the selected one that fit.
void add_rows(std::vector<std::string>& lines, const Rows& table, const TopView& view, std::size_t height) {
  lines.push_back(table.heading);
  const std::size_t room = height > lines.size() + 1 ? height - lines.size() - 1 : 0;
  const std::size_t selected = table.rows.empty() ? 0 : std::min(view.selected, table.rows.size() - 1);
  const std::size_t first = selected >= room && room > 0 ? selected - room + 1 : 0;
  for (std::size_t row = first; row < table.rows.size() && row < first + room; ++row)
    lines.push_back(view.selects && row == selected ? styled(unstyled(table.rows[row]), Style::selected)
                                                    : table.rows[row]);
}

}  // namespace

bool apply_key(char key, TopView& view, const std::vector<JobFigures>& jobs) {
  if (view.help && key != 'q') {
    view.help = false;
    return true;
  }
  const std::size_t rows = rows_of(jobs, view), last = rows == 0 ? 0 : rows - 1;
  view.selected = std::min(view.selected, last);
  switch (key) {
    case 'q':
      return false;
    case '?':
    case 'h':
      view.help = true;
      break;
    case key_down:
      view.selected = std::min(view.selected + 1, last);
      break;
    case key_up:
      view.selected -= std::min<std::size_t>(view.selected, 1);
      break;
    case key_page_down:
      view.selected = std::min(view.selected + view.page, last);
      break;
    case key_page_up:
      view.selected -= std::min(view.selected, view.page);
      break;
    case key_first:
      view.selected = 0;
      break;
    case key_last:
      view.selected = last;
      break;
    case 's':
      view.sort = (view.sort + 1) % sort_names.size();
      break;
    case 'f':
      view.only_troubled = !view.only_troubled;
      view.selected = 0;
      break;
    case 'p':
      view.paused = !view.paused;
      break;
    case '\t':
      view.job = jobs.empty() ? 0 : (view.job + 1) % jobs.size();
      view.zoomed = false;
      view.selected = 0;
      break;
    case '\r':
    case '\n': {
      if (view.zoomed || rows == 0) break;
      view.zoomed_worker = shown_workers(chosen_of(jobs, view), view)[view.selected]->id;
      view.zoomed = true;
      view.selected = 0;
      break;
    }
    case '\x1b':
    case '\x7f':
      view.zoomed = false;
      break;
    default:
      break;
  }
  return true;
}

std::vector<std::string> draw(const std::vector<JobFigures>& jobs, const TopView& view, std::size_t width,
                              std::size_t height) {
  constexpr std::size_t min_room_for_channels = 4;
  std::vector<std::string> lines;
  if (view.help) {
    lines = help_lines();
  } else if (jobs.empty()) {
    lines.push_back("no job of this user is running here");
  } else {
    const JobFigures& job = chosen_of(jobs, view);
    lines = top_lines(jobs, view, height);
    if (view.zoomed) {
      add_rows(lines, channel_rows(job, view, view.zoomed_worker, width), view, height);
    } else {
      add_rows(lines, worker_rows(job, view, width), view, height);
      // What is left of a tall terminal shows the channels of the selected worker.
      const auto workers = shown_workers(job, view);
      if (view.selects && !workers.empty() && !job.links.empty() && lines.size() + min_room_for_channels + 2 < height) {
        const int id = workers[std::min(view.selected, workers.size() - 1)]->id;
        lines.emplace_back();
        lines.push_back(fmt::format("channels of worker {}", id));
        Rows channels = channel_rows(job, view, id, width);
        const std::size_t room = height - lines.size() - 2;
        if (channels.rows.size() > room) channels.rows.resize(room);
        lines.push_back(channels.heading);
        for (std::string& row : channels.rows) lines.push_back(std::move(row));
      }
    }
  }
  while (lines.size() + 1 < height) lines.emplace_back();
  lines.push_back(fmt::format("{}q quit ? help s sort:{} f {} enter zoom tab job p", view.paused ? "PAUSED " : "",
                              sort_names[view.sort], view.only_troubled ? "troubled" : "all"));
  if (lines.size() > height) {
    const std::string keys = lines.back();
    lines.resize(height);
    if (height > 0 && view.help) lines.back() = keys;
  }
  for (std::string& line : lines) line = cut(line, width);
  return lines;
}

}  // namespace laxity::cli
