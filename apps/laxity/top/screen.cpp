#include "apps/laxity/top/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/laxity/cli/progress_line.hpp"

namespace laxity::cli {
namespace {

constexpr std::array<std::string_view, 2 + metrics> sort_names{"worker",   "rate",     "period", "latency",
                                                               "walltime", "failures", "clumps"};
constexpr double troubling_failures = 0.01;
const std::string unknown(1, '-');

// Three significant digits with a prefix: "12.3M".
std::string short_number(double value) {
  static constexpr std::array<std::pair<double, const char*>, 4> scales{{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  for (const auto& [scale, prefix] : scales)
    if (value >= scale) return fmt::format("{:.3g}{}", value / scale, prefix);
  return fmt::format("{:.2g}", value);
}

std::string short_time(double ns) {
  static constexpr std::array<std::pair<double, const char*>, 3> scales{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  for (const auto& [scale, unit] : scales)
    if (ns >= scale) return fmt::format("{:.3g}{}", ns / scale, unit);
  return fmt::format("{:.0f}ns", ns);
}

std::string short_share(double share) { return fmt::format("{:.1f}%", 100 * share); }

std::array<std::string, metrics> texts_of(const Metrics& metric) {
  return {short_time(metric[0]), fmt::format("{:.3g}", metric[1]), short_time(metric[2]), short_share(metric[3]),
          short_share(metric[4])};
}

std::string cut(std::string_view text, std::size_t width) {
  std::string kept;
  std::size_t columns = 0;
  for (const char letter : text) {
    const bool begins = (static_cast<unsigned char>(letter) & 0xC0) != 0x80;
    if (begins && columns == width) break;
    columns += begins ? 1 : 0;
    // Control characters in a command line must not reach the terminal.
    kept += static_cast<unsigned char>(letter) < 0x20 || letter == '\x7f' ? '?' : letter;
  }
  return kept;
}

// A row of as many cells as fit; cells are right-aligned in their widths, the first one left-aligned.
std::string row_of(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths, std::size_t room) {
  std::string row;
  std::size_t used = 0;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const std::size_t gap = column == 0 ? 0 : 1;
    if (used + gap + widths[column] > room) break;
    const std::string cell = cut(cells[column], widths[column]);
    const std::string space(widths[column] - columns_of(cell), ' ');
    row += std::string(gap, ' ') + (column == 0 ? cell + space : space + cell);
    used += gap + widths[column];
  }
  return row;
}

const std::vector<std::size_t> worker_widths{6, 8, 7, 6, 7, 8, 8, 7, 12};
const std::vector<std::size_t> channel_widths{12, 7, 7, 7, 7, 8, 8, 7, 8};

std::vector<const WorkerFigures*> shown_workers(const JobFigures& job, const TopView& view) {
  std::vector<const WorkerFigures*> shown;
  for (const WorkerFigures& worker : job.workers) {
    const bool troubled = worker.state != "running" || worker.metric[3] > troubling_failures;
    if (troubled || !view.only_troubled) shown.push_back(&worker);
  }
  if (view.sort == 1)  // the slowest first
    std::ranges::stable_sort(shown, {}, [](const auto* worker) { return worker->updates_per_second; });
  if (view.sort >= 2)
    std::ranges::stable_sort(shown, std::greater<>(),
                             [&](const auto* worker) { return worker->metric[view.sort - 2]; });
  return shown;
}

std::vector<const LinkFigures*> shown_links(const JobFigures& job, const TopView& view) {
  std::vector<const LinkFigures*> shown;
  for (const LinkFigures& link : job.links) {
    const auto id = static_cast<std::uint32_t>(view.zoomed_worker);
    const bool troubled = link.metric[3] > troubling_failures;
    if ((link.key.from_worker == id || link.key.to_worker == id) && (troubled || !view.only_troubled))
      shown.push_back(&link);
  }
  if (view.sort >= 2)
    std::ranges::stable_sort(shown, std::greater<>(), [&](const auto* link) { return link->metric[view.sort - 2]; });
  return shown;
}

std::vector<std::string> worker_rows(const JobFigures& job, const TopView& view, std::size_t width) {
  std::vector<std::string> rows{
      row_of({"worker", "state", "rate/s", "refus.", "latency", "walltime", "period", "clumps", "course"},
             worker_widths, width)};
  for (const WorkerFigures* worker : shown_workers(job, view)) {
    const auto [period, latency, walltime, failures, clumps] = texts_of(worker->metric);
    rows.push_back(
        row_of({fmt::format("{}", worker->id), std::string(worker->state), short_number(worker->updates_per_second),
                failures, latency, walltime, period, clumps, sparkline(worker->course, worker_widths.back())},
               worker_widths, width));
  }
  return rows;
}

std::vector<std::string> channel_rows(const JobFigures& job, const TopView& view, std::size_t width) {
  std::vector<std::string> rows{
      row_of({"channel", "kind", "puts/s", "refus.", "latency", "walltime", "period", "clumps", "superseded"},
             channel_widths, width)};
  for (const LinkFigures* link : shown_links(job, view)) {
    auto [period, latency, walltime, failures, clumps] = texts_of(link->metric);
    if (!link->sender_is_here) failures = unknown;
    if (!link->receiver_is_here) period = latency = walltime = clumps = unknown;
    rows.push_back(row_of(
        {fmt::format("{}>{} {}:{}", link->key.from_worker, link->key.to_worker, link->key.layer, link->key.channel),
         std::string(name_of(link->kind)), short_number(link->attempted_per_second), failures, latency, walltime,
         period, clumps, short_number(link->superseded_per_second)},
        channel_widths, width));
  }
  return rows;
}

// Hosts are named where there are several, a job where its parts stand on several lines.
std::string job_line(const JobFigures& job, bool chosen, bool with_host) {
  const std::string part =
      job.hosts > 1 ? fmt::format("{} host {} of {}: ", job.name, job.host_index + 1, job.hosts) : "";
  return fmt::format("{} {}{} {} {} {}/s {} {}MB  {}{}", chosen ? ">" : " ", with_host ? job.host + ' ' : "", job.pid,
                     job.team, job.state, short_number(job.updates_per_second), duration_text(job.seconds),
                     job.memory_bytes >> 20, part, job.command);
}

bool are_of_several_hosts(const std::vector<JobFigures>& jobs) {
  return std::ranges::any_of(jobs, [&](const JobFigures& job) { return job.host != jobs.front().host; });
}

std::string kinds_line(const JobFigures& job) {
  std::string line;
  if (job.simulates)
    line = fmt::format("GVT {:.6g}, efficiency {}, {} events/s committed", job.gvt, short_share(job.efficiency),
                       short_number(job.committed_per_second));
  for (const KindFigures& kind : job.kinds) {
    const double refused = kind.attempted_per_second > 0 ? kind.refused_per_second / kind.attempted_per_second : 0;
    line += fmt::format("{}{}: {} refused, {}/s superseded", line.empty() ? "" : "; ", name_of(kind.kind),
                        short_share(refused), short_number(kind.superseded_per_second));
  }
  return line;
}

}  // namespace

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xC0) != 0x80; }));
}

std::string sparkline(const std::vector<double>& values, std::size_t length) {
  static constexpr std::array<const char*, 8> bars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t first = values.size() > length ? values.size() - length : 0;
  double largest = 0;
  for (std::size_t i = first; i < values.size(); ++i) largest = std::max(largest, values[i]);
  std::string line;
  for (std::size_t i = first; i < values.size(); ++i) {
    const double share = largest > 0 ? values[i] / largest : 0;
    line += bars[static_cast<std::size_t>(std::lround(share * static_cast<double>(bars.size() - 1)))];
  }
  return line;
}

bool apply_key(char key, TopView& view, const std::vector<JobFigures>& jobs) {
  switch (key) {
    case 'q':
      return false;
    case 'j':
      ++view.selected;
      break;
    case 'k':
      if (view.selected > 0) --view.selected;
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
      if (view.zoomed || jobs.empty()) break;
      const auto workers = shown_workers(jobs[std::min(view.job, jobs.size() - 1)], view);
      if (workers.empty()) break;
      view.zoomed_worker = workers[std::min(view.selected, workers.size() - 1)]->id;
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
  std::vector<std::string> lines;
  const std::size_t chosen = jobs.empty() ? 0 : std::min(view.job, jobs.size() - 1);
  if (jobs.empty()) {
    lines.push_back("no job of this user is running here");
  } else {
    // A third of the screen lists jobs, beginning with the chosen one.
    const std::size_t listed = std::clamp<std::size_t>(height / 3, 1, jobs.size());
    for (std::size_t place = 0; place < listed; ++place) {
      const std::size_t number = (chosen + place) % jobs.size();
      lines.push_back(job_line(jobs[number], number == chosen, are_of_several_hosts(jobs)));
    }
    const JobFigures& job = jobs[chosen];
    lines.push_back(view.zoomed ? fmt::format("channels of worker {}", view.zoomed_worker) : kinds_line(job));
    std::vector<std::string> rows = view.zoomed ? channel_rows(job, view, width) : worker_rows(job, view, width);
    lines.push_back(rows.front());
    rows.erase(rows.begin());
    const std::size_t room = height > lines.size() + 1 ? height - lines.size() - 1 : 0;
    const std::size_t selected = rows.empty() ? 0 : std::min(view.selected, rows.size() - 1);
    const std::size_t first = selected >= room && room > 0 ? selected - room + 1 : 0;
    for (std::size_t row = first; row < rows.size() && row < first + room; ++row)
      lines.push_back(row == selected ? "\x1b[7m" + rows[row] + "\x1b[0m" : rows[row]);
  }
  while (lines.size() + 1 < height) lines.emplace_back();
  lines.push_back(fmt::format("{}q quit s sort:{} f {} enter zoom tab job p", view.paused ? "PAUSED " : "",
                              sort_names[view.sort], view.only_troubled ? "troubled" : "all"));
  if (lines.size() > height) lines.resize(height);
  for (std::string& line : lines)
    if (!line.starts_with("\x1b[7m")) line = cut(line, width);
  return lines;
}

}  // namespace laxity::cli
