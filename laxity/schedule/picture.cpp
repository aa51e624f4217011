#include "laxity/schedule/picture.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "laxity/error.hpp"

namespace laxity::schedule {
namespace {

std::string formatted(const char* format, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

template <class... Parts>
void append(std::string& text, const Parts&... parts) {
  (text.append(parts), ...);
}

double us(Picoseconds time) { return static_cast<double>(time) * 1e-6; }

std::string words_of(const Op& op) {
  const auto name = [](std::uint32_t value) { return value == any ? std::string("any") : std::to_string(value); };
  switch (op.action) {
    case Action::compute:
      return "compute " + std::to_string(op.size) + " ns";
    case Action::send:
      return "send " + std::to_string(op.size) + " B to " + name(op.peer);
    case Action::receive:
      return "receive " + std::to_string(op.size) + " B from " + name(op.peer);
  }
  return "";
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

struct Point {
  std::uint32_t rank;
  Picoseconds time;
};

/// Sends with the receives that match them: by ranks and tag, in the order of their starts. Wildcards are left out.
std::vector<std::pair<Point, Point>> messages_of(const Schedule& schedule, const SimulationResult& result) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  std::map<Key, std::vector<Point>> sends, receives;
  std::size_t number = 0;
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    for (const Op& op : schedule.ops(rank)) {
      const OpTimes& times = result.op_times[number++];
      if (op.action == Action::send) sends[{rank, op.peer, op.tag}].push_back({rank, times.start});
      if (op.action == Action::receive) receives[{op.peer, rank, op.tag}].push_back({rank, times.end});
    }
  }
  std::vector<std::pair<Point, Point>> messages;
  for (auto& [key, sent] : sends) {
    auto& received = receives[key];
    std::ranges::sort(sent, {}, &Point::time);
    std::ranges::sort(received, {}, &Point::time);
    for (std::size_t i = 0; i < std::min(sent.size(), received.size()); ++i)
      messages.emplace_back(sent[i], received[i]);
  }
  return messages;
}

struct Frame {
  double left = 64, top = 40, width = 880, lane = 22;
  double us_per_unit = 1;  ///< microseconds of one unit of the picture

  [[nodiscard]] std::string x(Picoseconds time) const { return formatted("%.2f", left + us(time) / us_per_unit); }
  [[nodiscard]] double y(std::uint32_t rank) const { return top + lane * (rank + 0.5); }
};

std::string axis(const Frame& frame, double end_us, double bottom) {
  double step = 1e-3;
  for (int i = 0; end_us / step > 10; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  std::string svg;
  for (double tick = 0; tick <= end_us * 1.0001; tick += step) {
    const std::string x = formatted("%.2f", frame.left + tick / frame.us_per_unit);
    append(svg, "<line class=\"g\" x1=\"", x, "\" x2=\"", x, "\" y1=\"", formatted("%.1f", frame.top), "\" y2=\"",
           formatted("%.1f", bottom), "\"/><text x=\"", x, "\" y=\"", formatted("%.1f", bottom + 16),
           "\" text-anchor=\"middle\">", formatted("%.6g", tick), "</text>\n");
  }
  return svg + "<text x=\"" + formatted("%.1f", frame.left + frame.width / 2) + "\" y=\"" +
         formatted("%.1f", bottom + 34) + "\" text-anchor=\"middle\">time in µs</text>\n";
}

}  // namespace

std::string schedule_text(const Schedule& schedule, const SimulationResult& result) {
  std::string text;
  std::size_t number = 0;
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    const auto edges = schedule.edges(rank);
    OpId id = 0;
    for (const Op& op : schedule.ops(rank)) {
      const OpTimes& times = result.op_times[number++];
      text += "rank " + std::to_string(rank) + "  " + formatted("%3.0f", id) + "  " +
              formatted("%10.3f", us(times.start)) + " .. " + formatted("%10.3f", us(times.end)) + " us  " +
              words_of(op);
      std::string waits;
      for (const Edge& edge : edges)
        if (edge.after == id) waits += (waits.empty() ? "  after " : ", ") + std::to_string(edge.before);
      text += waits + "\n";
      ++id;
    }
  }
  return text;
}

std::string space_time_svg(const Schedule& schedule, const SimulationResult& result, std::span<const double> arrival_s,
                           const std::string& title) {
  if (schedule.ranks() > 128)
    throw UsageError("ranks = " + std::to_string(schedule.ranks()) + ": a space-time diagram shows at most 128");
  Frame frame;
  const double end_us = std::max(us(result.last_exit), 1e-3);
  frame.us_per_unit = end_us / frame.width;
  const double bottom = frame.top + frame.lane * schedule.ranks();
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 980 " + formatted("%.0f", bottom + 48) +
      "\" font-family=\"sans-serif\" font-size=\"12\">\n<style>.g{stroke:#ddd}.m{stroke:#888;fill:none}"
      ".send{fill:#0072b2}.receive{fill:#d55e00}.compute{fill:#009e73}.late{fill:#bbb}</style>\n<text x=\"" +
      formatted("%.0f", frame.left) + "\" y=\"22\" font-size=\"15\">" + escaped(title) + "</text>\n" +
      axis(frame, end_us, bottom);
  const auto bar = [&](const char* what, std::uint32_t rank, Picoseconds start, Picoseconds end) {
    const double width = std::max(us(end - start) / frame.us_per_unit, 1.5);
    svg += "<rect class=\"" + std::string(what) + "\" x=\"" + frame.x(start) + "\" y=\"" +
           formatted("%.1f", frame.y(rank) - frame.lane * 0.3) + "\" width=\"" + formatted("%.2f", width) +
           "\" height=\"" + formatted("%.1f", frame.lane * 0.6) + "\"/>\n";
  };
  for (const auto& [sent, received] : messages_of(schedule, result))
    svg += "<line class=\"m\" x1=\"" + frame.x(sent.time) + "\" y1=\"" + formatted("%.1f", frame.y(sent.rank)) +
           "\" x2=\"" + frame.x(received.time) + "\" y2=\"" + formatted("%.1f", frame.y(received.rank)) + "\"/>\n";
  std::size_t number = 0;
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    svg += "<text x=\"" + formatted("%.0f", frame.left - 8) + "\" y=\"" + formatted("%.1f", frame.y(rank) + 4) +
           "\" text-anchor=\"end\">" + std::to_string(rank) + "</text>\n";
    if (rank < arrival_s.size() && arrival_s[rank] > 0)
      bar("late", rank, 0, static_cast<Picoseconds>(arrival_s[rank] * 1e12));
    for (const Op& op : schedule.ops(rank)) {
      const OpTimes& times = result.op_times[number++];
      bar(op.action == Action::send      ? "send"
          : op.action == Action::receive ? "receive"
                                         : "compute",
          rank, times.start, times.end);
    }
  }
  return svg + "</svg>\n";
}

}  // namespace laxity::schedule
