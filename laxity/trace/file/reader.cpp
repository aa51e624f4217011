#include "laxity/trace/file/reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "laxity/error.hpp"

namespace laxity::trace {
namespace {

constexpr std::size_t max_block_bytes = std::size_t{16} << 20;
constexpr std::uint32_t max_threads = 1U << 20;

}  // namespace

TraceReader::TraceReader(std::string path) : name_(std::move(path)) {
  if (::access(name_.c_str(), R_OK) != 0) throw SystemError("open(" + name_ + ")", errno);
}

TraceReader::TraceReader(std::span<const unsigned char> bytes, std::string name)
    : name_(std::move(name)), in_memory_(true), memory_(bytes) {}

void TraceReader::fail(std::size_t at, const std::string& what) const {
  throw Error(name_ + ", byte " + std::to_string(at) + ": " + what);
}

// At most `size` bytes, fewer at the end of the file. They are valid until the next call.
std::span<const unsigned char> TraceReader::bytes_at(std::size_t offset, std::size_t size) {
  if (in_memory_) {
    const auto rest = memory_.subspan(std::min(offset, memory_.size()));
    return rest.first(std::min(size, rest.size()));
  }
  const int file = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw SystemError("open(" + name_ + ")", errno);
  buffer_.resize(size);
  std::size_t filled = 0;
  ssize_t got = 1;
  while (filled < size && got > 0) {
    got = ::pread(file, buffer_.data() + filled, size - filled, static_cast<off_t>(offset + filled));
    if (got > 0) filled += static_cast<std::size_t>(got);
  }
  const int error = errno;
  ::close(file);
  if (got < 0) throw SystemError("read(" + name_ + ")", error);
  return {buffer_.data(), filled};
}

// False at the end of the file, and for a block that was allocated and not used, which is the last one.
bool TraceReader::next_block() {
  const std::size_t begin = next_block_begin_;
  auto bytes = bytes_at(begin, block_bytes_ != 0 ? block_bytes_ : block_bytes);
  if (bytes.empty()) return false;
  BlockHeader header{};
  if (bytes.size() < sizeof header) fail(begin, "a block is truncated within its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  constexpr char unused[sizeof header.magic] = {};
  if (blocks_ > 0 && std::memcmp(header.magic, unused, sizeof unused) == 0) return false;
  if (std::memcmp(header.magic, magic, sizeof magic) != 0) fail(begin, "not a trace of laxity");
  if (header.version < oldest_format_version || header.version > format_version) {
    fail(begin + 8, "format " + std::to_string(header.version) + "; this laxity reads formats " +
                        std::to_string(oldest_format_version) + " to " + std::to_string(format_version));
  }
  if (header.block_bytes < sizeof header || header.block_bytes > max_block_bytes ||
      (blocks_ > 0 && header.block_bytes != block_bytes_)) {
    fail(begin + 12, "invalid block size of " + std::to_string(header.block_bytes) + " bytes");
  }
  block_bytes_ = header.block_bytes;
  if (header.index != blocks_) {
    fail(begin + 16, "expected block " + std::to_string(blocks_) + "; found block " + std::to_string(header.index));
  }
  const std::size_t end = sizeof header + header.used;
  if (end > bytes.size()) bytes = bytes_at(begin, block_bytes_);  // blocks are larger than those that are written today
  if (end > bytes.size()) {
    fail(begin + 20, "a block with " + std::to_string(header.used) + " bytes of records is truncated");
  }
  ++blocks_;
  version_ = header.version;
  block_begin_ = begin;
  next_block_begin_ = begin + block_bytes_;
  time_ns_ = header.base_ns;
  block_ = bytes.data();
  in_ = Decoder(block_ + sizeof header, block_ + end);
  return true;
}

std::optional<Tag> TraceReader::next_record() {
  while (in_.empty()) {
    if (next_block()) continue;
    if (!has_process_) fail(0, "expected a process record; the program was killed in MPI_Init");
    return std::nullopt;
  }
  const std::size_t at = block_begin_ + static_cast<std::size_t>(in_.at() - block_);
  const auto tag = static_cast<Tag>(in_.byte());
  const char* what = parse_record(tag);
  if (what == nullptr && !in_.ok()) what = "a record is malformed or truncated";
  if (what != nullptr) fail(at, what);
  definitions_.last_ns = has_process_ ? std::max(definitions_.last_ns, time_ns_) : time_ns_;
  has_process_ = true;
  return tag;
}

// Null, or the reason why the record is invalid.
const char* TraceReader::parse_record(Tag tag) {
  if (has_process_ == (tag == Tag::process)) return "expected one process record, and at the beginning";
  if (definitions_.end) return "a record follows the end record";
  switch (tag) {
    case Tag::call:
      return parse_call();
    case Tag::completion:
      completion_.failed = in_.byte() != 0;
      completion_.thread = thread();
      if (completion_.thread >= max_threads) return "a completion has an invalid thread";
      completion_.communicator = in_.small();
      completion_.sequence = in_.number();
      completion_.completing_ns = time();
      completion_.exit_ns = time();
      return nullptr;
    case Tag::process:
      parse_process();
      return nullptr;
    case Tag::clock: {
      ClockPoint point{.at_ns = time()};
      point.synchronized = in_.byte() != 0;
      point.offset_ns = in_.real();
      point.slope = in_.real();
      if (version_ > 2) point.error_ns = in_.real();
      if (version_ <= 2 && point.synchronized) point.error_ns = std::numeric_limits<double>::infinity();
      if (!(point.error_ns >= 0)) return "a clock point has an invalid error";
      definitions_.clock.push_back(point);
      return nullptr;
    }
    case Tag::setting:
      definitions_.settings.push_back({.name = in_.text(), .value = in_.text()});
      return nullptr;
    case Tag::communicator:
      return parse_communicator();
    case Tag::site: {
      CallSite site{.object = in_.text(), .offset = 0, .symbol = {}};
      site.offset = in_.number();
      site.symbol = in_.text();
      definitions_.sites.push_back(site);
      return nullptr;
    }
    case Tag::end: {
      End end{.at_ns = time()};
      end.calls = in_.number();
      end.recorded = in_.number();
      definitions_.end = end;
      return nullptr;
    }
  }
  return "a record has an unknown tag";
}

// Unsigned arithmetic: in a malformed file, sums of differences may exceed the range of 64 bits and wrap around.
std::int64_t TraceReader::time() noexcept {
  time_ns_ =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns_) + static_cast<std::uint64_t>(in_.signed_number()));
  return time_ns_;
}

// Format 1 has no threads.
std::uint32_t TraceReader::thread() {
  const std::uint32_t number = version_ > 1 ? in_.small() : 0;
  if (number < max_threads) definitions_.threads = std::max(definitions_.threads, number + 1);
  return number;
}

void TraceReader::parse_process() {
  Process& process = definitions_.process;
  process.job = in_.number();
  process.rank = in_.small();
  process.size = in_.small();
  process.pid = in_.number();
  process.every = in_.small();
  process.start_ns = time();
  process.clock = in_.number();
  process.host = in_.text();
  process.mpi = in_.text();
  process.program = in_.text();
}

const char* TraceReader::parse_communicator() {
  Communicator made{.id = in_.number()};
  made.size = in_.small();
  made.remote_size = in_.small();
  made.rank = in_.small();
  if (in_.ok() && (made.size == 0 || made.rank >= made.size)) return "a rank exceeds the size of its communicator";
  definitions_.communicators.push_back(made);
  return nullptr;
}

const char* TraceReader::parse_call() {
  const std::uint8_t kind = in_.byte();
  const std::uint8_t flags = in_.byte();
  if (kind >= kind_names.size()) return "a call has an unknown collective";
  if (flags > 15 || (flags & 3U) == 3) return "a call has unknown flags";
  call_.kind = static_cast<Kind>(kind);
  call_.start = static_cast<Start>(flags & 3U);
  call_.in_place = (flags & 4U) != 0;
  call_.failed = (flags & 8U) != 0;
  call_.thread = call_.completing_thread = thread();
  call_.communicator = in_.small();
  call_.site = in_.small();
  const std::int64_t root = in_.signed_number();
  call_.sequence = in_.number();
  call_.bytes_sent = in_.number();
  call_.bytes_received = in_.number();
  call_.arrival_ns = call_.completing_ns = time();
  call_.return_ns = call_.exit_ns = time();
  call_.completed = call_.start == Start::blocking;
  if (!in_.ok()) return nullptr;
  if (call_.thread >= max_threads) return "a call has an invalid thread";
  if (call_.communicator >= definitions_.communicators.size()) return "a call has an unknown communicator";
  if (call_.site >= definitions_.sites.size()) return "a call has an unknown call site";
  if (root < no_part_in_intercommunicator || root > 0x7FFF'FFFF) return "a call has an invalid root";
  call_.root = static_cast<std::int32_t>(root);
  ++definitions_.calls;
  return nullptr;
}

// Joins the completion that was read to its call.
bool TraceReader::complete(Call& call) {
  const auto found = open_.find({completion_.communicator, completion_.sequence});
  if (found == open_.end()) return false;
  call = found->second;
  open_.erase(found);
  call.completed = true;
  call.failed |= completion_.failed;
  call.completing_thread = completion_.thread;
  call.completing_ns = completion_.completing_ns;
  call.exit_ns = completion_.exit_ns;
  return true;
}

bool TraceReader::next(Call& call) {
  while (const auto tag = next_record()) {
    if (*tag == Tag::call) {
      if (call_.completed) {
        call = call_;
        return true;
      }
      open_[{call_.communicator, call_.sequence}] = call_;
    } else if (*tag == Tag::completion) {
      if (complete(call)) return true;
      fail(block_begin_, "a completion in this block has no started call");
    }
  }
  if (open_.empty()) return false;
  call = open_.begin()->second;
  open_.erase(open_.begin());
  return true;
}

ProcessDefinitions TraceReader::read_definitions() {
  while (next_record()) {
  }
  return std::move(definitions_);
}

}  // namespace laxity::trace
