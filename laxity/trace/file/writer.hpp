// Writes the records of one process. What is written stays when the process is killed (block_file.hpp).
//
// Every function is false, and does nothing more, once the file cannot be written; error() says why. Definitions come
// before what refers to them by index. No function throws or allocates: they run inside of other people's programs.
// Threads: one at a time.
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
  /// The first communicator gets the index 0, and so on; likewise call sites.
  bool communicator(const Communicator& communicator) noexcept;
  bool site(const CallSite& site) noexcept;
  /// Of a blocking call everything; of another one what is known when it has been started.
  bool call(const Call& call) noexcept;
  /// A call that was started before has been completed within [completing, exit].
  bool completion(std::uint32_t communicator, std::uint64_t sequence, bool failed, std::int64_t completing_ns,
                  std::int64_t exit_ns) noexcept;
  bool end(const End& end) noexcept;

  void close() noexcept { file_.close(); }
  [[nodiscard]] int error() const noexcept { return file_.error(); }

 private:
  BlockFile file_;
};

}  // namespace laxity::trace
