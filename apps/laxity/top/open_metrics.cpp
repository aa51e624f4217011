#include "apps/laxity/top/open_metrics.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <functional>
#include <string_view>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds client_patience(1000);
constexpr std::size_t max_request = 8192;

// A label's value: backslash, quote and line feed are escaped.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '\n') {
      result += "\\n";
      continue;
    }
    if (letter == '\\' || letter == '"') result += '\\';
    result += letter;
  }
  return result;
}

std::string labels_of(const JobFigures& job) {
  return fmt::format("job=\"{}\",host=\"{}\",pid=\"{}\"", escaped(job.name), escaped(job.host), job.pid);
}

std::string labels_of(const JobFigures& job, const WorkerFigures& worker) {
  return fmt::format("{},worker=\"{}\"", labels_of(job), worker.id);
}

class Exposition {
 public:
  /// Begins a metric family. Its name ends with the unit, if it has one.
  void begin(std::string_view name, std::string_view type, std::string_view unit, std::string_view help) {
    text_ += fmt::format("# TYPE {} {}\n", name, type);
    if (!unit.empty()) text_ += fmt::format("# UNIT {} {}\n", name, unit);
    text_ += fmt::format("# HELP {} {}\n", name, help);
  }
  void sample(std::string_view name, const std::string& labels, auto value) {
    text_ += fmt::format("{}{{{}}} {}\n", name, labels, value);
  }
  [[nodiscard]] std::string end() && { return std::move(text_) + "# EOF\n"; }

 private:
  std::string text_;
};

struct Gauge {
  const char* name;
  const char* unit;
  const char* help;
  double factor;  // from the unit of the figures
};

// The metrics in the order of Metrics.
constexpr std::array<Gauge, metrics> quality{
    {{"laxity_simstep_period_seconds", "seconds", "Wall time of an update.", 1e-9},
     {"laxity_simstep_latency_updates", "updates", "Updates of the receiver while a message travels.", 1},
     {"laxity_walltime_latency_seconds", "seconds", "Wall time while a message travels.", 1e-9},
     {"laxity_delivery_failure_ratio", "ratio", "Fraction of the puts that were refused.", 1},
     {"laxity_delivery_clumpiness_ratio", "ratio", "0 if messages arrive one by one, near 1 if in clumps.", 1}}};

void add_jobs(Exposition& text, const std::vector<JobFigures>& jobs) {
  text.begin("laxity_job", "info", "", "A team of workers.");
  for (const JobFigures& job : jobs)
    text.sample("laxity_job_info",
                fmt::format("{},team=\"{}\",command=\"{}\"", labels_of(job), job.team, escaped(job.command)), 1);
  text.begin("laxity_job_state", "stateset", "", "State of the job.");
  for (const JobFigures& job : jobs)
    for (const char* state : {"running", "stalled", "silent"})
      text.sample("laxity_job_state", fmt::format("{},laxity_job_state=\"{}\"", labels_of(job), state),
                  job.state == state ? 1 : 0);
  text.begin("laxity_job_resident_memory_bytes", "gauge", "bytes", "Resident memory of the processes of the job.");
  for (const JobFigures& job : jobs) text.sample("laxity_job_resident_memory_bytes", labels_of(job), job.memory_bytes);
}

void add_workers(Exposition& text, const std::vector<JobFigures>& jobs) {
  const auto each = [&](const std::function<void(const JobFigures&, const WorkerFigures&)>& add) {
    for (const JobFigures& job : jobs)
      for (const WorkerFigures& worker : job.workers) add(job, worker);
  };
  text.begin("laxity_worker_running", "gauge", "", "1 if the worker is running and not stalled.");
  each([&](const JobFigures& job, const WorkerFigures& worker) {
    text.sample("laxity_worker_running", labels_of(job, worker), worker.state == "running" ? 1 : 0);
  });
  text.begin("laxity_updates", "counter", "", "Updates of a worker.");
  each([&](const JobFigures& job, const WorkerFigures& worker) {
    if (!job.simulates) text.sample("laxity_updates_total", labels_of(job, worker), worker.updates);
  });
  for (std::size_t metric = 0; metric < metrics; ++metric) {
    const Gauge& gauge = quality[metric];
    text.begin(gauge.name, "gauge", gauge.unit, gauge.help);
    each([&](const JobFigures& job, const WorkerFigures& worker) {
      if (metric == 0 ? !job.simulates : worker.exchanges)
        text.sample(gauge.name, labels_of(job, worker), worker.metric[metric] * gauge.factor);
    });
  }
  text.begin("laxity_events_processed", "counter", "", "Events that a worker of a simulation has processed.");
  each([&](const JobFigures& job, const WorkerFigures& worker) {
    if (job.simulates) text.sample("laxity_events_processed_total", labels_of(job, worker), worker.events_processed);
  });
  text.begin("laxity_events_committed", "counter", "", "Events that a worker of a simulation has committed.");
  each([&](const JobFigures& job, const WorkerFigures& worker) {
    if (job.simulates) text.sample("laxity_events_committed_total", labels_of(job, worker), worker.events_committed);
  });
  text.begin("laxity_global_virtual_time", "gauge", "", "Global virtual time, as a worker of a simulation knows it.");
  each([&](const JobFigures& job, const WorkerFigures& worker) {
    if (job.simulates) text.sample("laxity_global_virtual_time", labels_of(job, worker), worker.gvt);
  });
}

// Waits for the descriptor until the deadline.
bool is_ready(int descriptor, short what, Clock::time_point deadline) {
  pollfd waiting{descriptor, what, 0};
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return left >= 0 && ::poll(&waiting, 1, static_cast<int>(left)) > 0;
}

// The head of the request; what came of it within the time if it is not complete.
std::string request_from(int client, Clock::time_point deadline) {
  std::string request;
  char bytes[1024];
  while (request.size() < max_request && request.find("\r\n\r\n") == std::string::npos &&
         is_ready(client, POLLIN, deadline)) {
    const ssize_t got = ::recv(client, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got <= 0) break;
    request.append(bytes, static_cast<std::size_t>(got));
  }
  return request;
}

void answer(int client, const std::string& page) {
  const Clock::time_point deadline = Clock::now() + client_patience;
  const std::string request = request_from(client, deadline);
  const bool is_known = request.starts_with("GET /metrics ") || request.starts_with("GET / ");
  const std::string body = is_known ? page : "laxity top serves GET /metrics\n";
  std::string_view rest;
  const std::string response = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      is_known ? "200 OK" : "404 Not Found",
      is_known ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain", body.size(), body);
  for (rest = response; !rest.empty() && is_ready(client, POLLOUT, deadline);) {
    const ssize_t sent = ::send(client, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

}  // namespace

std::string to_open_metrics(const std::vector<HostFigures>& hosts, const std::vector<JobFigures>& all_jobs) {
  // A process may have had several teams, one after the other; a monitoring system knows it by one set of labels.
  std::vector<JobFigures> jobs;
  for (const JobFigures& job : all_jobs) {
    const bool is_over = job.state == "ended" || job.state == "dead";
    const auto same = [&](const JobFigures& other) { return other.name == job.name && other.host == job.host; };
    if (!is_over && std::ranges::none_of(jobs, same)) jobs.push_back(job);
  }
  Exposition text;
  text.begin("laxity_host_reports", "gauge", "", "1 if the host reports its jobs, 0 if it is silent.");
  for (const HostFigures& host : hosts)
    text.sample("laxity_host_reports", fmt::format("host=\"{}\"", escaped(host.name)), host.is_silent ? 0 : 1);
  add_jobs(text, jobs);
  add_workers(text, jobs);
  return std::move(text).end();
}

MetricsServer::MetricsServer(const std::string& endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  const std::string host = colon == std::string::npos ? "127.0.0.1" : endpoint.substr(0, colon);
  const std::string port_text = colon == std::string::npos ? endpoint : endpoint.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, fault] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  if (fault != std::errc{} || end != port_text.data() + port_text.size() ||
      ::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
    throw UsageError("--openmetrics " + endpoint + ": write PORT or ADDRESS:PORT, as in 9555 or 0.0.0.0:9555");
  address.sin_port = htons(port);
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (socket_ < 0 || ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket_, generic, size) != 0 || ::listen(socket_, SOMAXCONN) != 0 ||
      ::getsockname(socket_, generic, &size) != 0) {
    const int error_number = errno;
    if (socket_ >= 0) ::close(socket_);
    throw SystemError("listen(" + endpoint + ")", error_number);
  }
  address_ = fmt::format("{}:{}", host, ntohs(address.sin_port));
}

MetricsServer::~MetricsServer() { ::close(socket_); }

void MetricsServer::serve(std::chrono::milliseconds time, const std::string& page) const {
  const Clock::time_point deadline = Clock::now() + time;
  while (is_ready(socket_, POLLIN, deadline)) {
    const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    answer(client, page);
    ::close(client);
  }
}

}  // namespace laxity::cli
