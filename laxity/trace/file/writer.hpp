// Writes the records of one process to a trace file. Records survive if the process is killed (block_file.hpp).
//
// Once the file cannot be written, every function does nothing and returns false; error() has the reason. Definitions
// must be written before records that refer to them by index. No function throws or allocates, since they run in the
// traced program. Threads: one at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "laxity/trace/file/block_file.hpp"
#include "laxity/trace/file/record.hpp"

namespace laxity::trace {

class Writer {
 public:
  [[nodiscard]] bool create(const char* path) noexcept { return file_.create(path); }

  bool process(const Process& process) noexcept;
  bool clock(const ClockPoint& point) noexcept;
  bool setting(std::string_view name, std::string_view value) noexcept;
  /// Communicators and call sites have indices from 0 in the order in which they are written.
  bool communicator(const Communicator& communicator) noexcept;
  bool site(const CallSite& site) noexcept;
  /// A blocking call with all its times, or another call after its start.
  bool call(const Call& call) noexcept;
  bool completion(const Completion& completion) noexcept;
  bool end(const End& end) noexcept;

  void close() noexcept { file_.close(); }
  [[nodiscard]] int error() const noexcept { return file_.error(); }

 private:
  BlockFile file_;
};

}  // namespace laxity::trace
