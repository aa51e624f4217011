#include "apps/laxity/top/report.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "laxity/error.hpp"

namespace laxity::cli {
namespace {

template <class Archive, class Worker>
  requires std::is_same_v<const Worker, const WorkerFigures>
void pass(Archive& archive, Worker& worker) {
  archive(worker.id);
  archive(worker.pid);
  archive(worker.state);
  archive(worker.updates);
  archive(worker.updates_per_second);
  archive(worker.metric);
  archive(worker.events_processed);
  archive(worker.events_committed);
  archive(worker.committed_per_second);
  archive(worker.gvt);
  archive(worker.exchanges);
  for (auto& course : worker.course) archive(course);
}

template <class Archive, class Figures>
  requires std::is_same_v<const Figures, const JobFigures>
void pass(Archive& archive, Figures& job) {
  archive(job.pid);
  archive(job.name);
  archive(job.host);
  archive(job.host_index);
  archive(job.hosts);
  archive(job.command);
  archive(job.team);
  archive(job.state);
  archive(job.seconds);
  archive(job.memory_bytes);
  archive(job.updates_per_second);
  archive(job.simulates);
  archive(job.efficiency);
  archive(job.committed_per_second);
  archive(job.gvt);
  archive(job.workers);
  archive(job.links);
  archive(job.kinds);
}

class Writer {
 public:
  /// Writes a plain value, a string or a vector.
  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      append(std::as_bytes(std::span(&value, 1)));
    } else {
      (*this)(std::uint64_t{value.size()});
      if constexpr (std::is_trivially_copyable_v<typename T::value_type>)
        append(std::as_bytes(std::span(value)));
      else
        for (const auto& each : value) pass(*this, each);
    }
  }
  [[nodiscard]] std::vector<std::byte> take() noexcept { return std::move(bytes_); }

 private:
  void append(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      extract(std::as_writable_bytes(std::span(&value, 1)));
    } else {
      std::uint64_t size = 0;
      (*this)(size);
      require(size <= bytes_.size());
      value.resize(size);
      if constexpr (std::is_trivially_copyable_v<typename T::value_type>)
        extract(std::as_writable_bytes(std::span(value)));
      else
        for (auto& each : value) pass(*this, each);
    }
  }

 private:
  static void require(bool whole) {
    if (!whole) throw Error("the report of a host is incomplete: do all hosts run the same laxity?");
  }
  void extract(std::span<std::byte> to) {
    require(to.size() <= bytes_.size());
    if (!to.empty()) std::memcpy(to.data(), bytes_.data(), to.size());
    bytes_ = bytes_.subspan(to.size());
  }

  std::span<const std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> packed(const std::vector<JobFigures>& jobs) {
  Writer writer;
  writer(jobs);
  return writer.take();
}

std::vector<JobFigures> unpacked(std::span<const std::byte> report) {
  std::vector<JobFigures> jobs;
  Reader reader(report);
  reader(jobs);
  return jobs;
}

}  // namespace laxity::cli
