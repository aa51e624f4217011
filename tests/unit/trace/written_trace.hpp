// Small traces for tests.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "laxity/trace/file/reader.hpp"
#include "laxity/trace/file/writer.hpp"

namespace laxity::trace {

/// A temporary folder that is removed with the object.
class Folder {
 public:
  explicit Folder(const char* name)
      : path_(std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string operator/(const char* file) const { return (path_ / file).string(); }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// A process without calls in a job of `size` processes. Communicator 0 is the world, call site 0 is app+0x10.
inline ProcessTrace process(std::uint32_t rank, std::uint32_t size) {
  ProcessTrace trace;
  trace.process = {.job = 7,
                   .rank = rank,
                   .size = size,
                   .pid = 100 + rank,
                   .every = 1,
                   .start_ns = 1000,
                   .clock = 5,
                   .host = "host",
                   .mpi = "Some MPI",
                   .program = "/bin/app"};
  trace.communicators = {{.id = 77, .size = size, .remote_size = 0, .rank = rank}};
  trace.sites = {{.object = "/bin/app", .offset = 0x10, .symbol = "main"}};
  return trace;
}

inline Call blocking(Kind kind, std::uint64_t sequence, std::int64_t arrival_ns, std::int64_t exit_ns) {
  Call call;
  call.kind = kind;
  call.sequence = sequence;
  call.arrival_ns = call.completing_ns = arrival_ns;
  call.return_ns = call.exit_ns = exit_ns;
  return call;
}

inline std::vector<unsigned char> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace laxity::trace
