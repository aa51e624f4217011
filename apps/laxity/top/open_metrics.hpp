// The figures of jobs for monitoring systems such as Prometheus: as text, and served over HTTP.
//
// Source: OpenMetrics 1.0 (prometheus.io/docs/specs/om/open_metrics_spec); HTTP/1.1 as far as GET of one page.
// Invariants: a client can neither block nor slow down the readings: a request that is not complete within a second, or whose
// answer is not taken in that time, is dropped.
// Threads: one. Elsewhere: the figures (top/figures.hpp).
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "apps/laxity/top/figures.hpp"

namespace laxity::cli {

/// The figures of the jobs that are not over, in the OpenMetrics text format.
[[nodiscard]] std::string to_open_metrics(const std::vector<HostFigures>& hosts,
                                          const std::vector<JobFigures>& all_jobs);

/// A socket that answers GET /metrics.
class MetricsServer {
 public:
  /// Listens at "PORT", which is on the loopback interface, or "ADDRESS:PORT" (IPv4; 0.0.0.0 is every interface). Port 0 takes
  /// a free one. Throws UsageError for another text, and SystemError if the port is in use.
  explicit MetricsServer(const std::string& endpoint);
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;
  ~MetricsServer();

  /// "127.0.0.1:9555"
  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  /// Answers the requests of the next `time` with this text.
  void serve(std::chrono::milliseconds time, const std::string& page) const;

 private:
  int socket_ = -1;
  std::string address_;
};

}  // namespace laxity::cli
