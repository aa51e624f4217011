#include "laxity/trace/file/reader.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "laxity/error.hpp"
#include "laxity/trace/file/codec.hpp"

namespace laxity::trace {
namespace {

class Parser {
 public:
  Parser(std::span<const unsigned char> bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  ProcessTrace parse() {
    std::uint32_t index = 0;
    for (std::size_t begin = 0; begin < bytes_.size(); begin += size_, ++index) {
      if (!parse_block(begin, index)) break;
    }
    if (!has_process_) fail(0, "expected a process record; the program was killed in MPI_Init");
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    throw Error(name_ + ", byte " + std::to_string(at) + ": " + what);
  }

  // False for a block that was allocated and not used, which is the last one.
  bool parse_block(std::size_t begin, std::uint32_t index) {
    const auto rest = bytes_.subspan(begin);
    BlockHeader header{};
    if (rest.size() < sizeof header) fail(begin, "a block is truncated within its header");
    std::memcpy(&header, rest.data(), sizeof header);
    constexpr char unused[sizeof header.magic] = {};
    if (index > 0 && std::memcmp(header.magic, unused, sizeof unused) == 0) return false;
    if (std::memcmp(header.magic, magic, sizeof magic) != 0) fail(begin, "not a trace of laxity");
    if (header.version != format_version) {
      fail(begin + 8,
           "format " + std::to_string(header.version) + "; this laxity reads format " + std::to_string(format_version));
    }
    if (header.block_bytes < sizeof header || (index > 0 && header.block_bytes != size_)) {
      fail(begin + 12, "invalid block size of " + std::to_string(header.block_bytes) + " bytes");
    }
    size_ = header.block_bytes;
    if (header.index != index) {
      fail(begin + 16, "expected block " + std::to_string(index) + "; found block " + std::to_string(header.index));
    }
    if (header.used > size_ - sizeof header || header.used > rest.size() - sizeof header) {
      fail(begin + 20, "a block with " + std::to_string(header.used) + " bytes of records is truncated");
    }
    time_ns_ = header.base_ns;
    parse_records(rest.subspan(sizeof header, header.used));
    return true;
  }

  void parse_records(std::span<const unsigned char> records) {
    Decoder in(records.data(), records.data() + records.size());
    while (!in.empty()) {
      const auto at = static_cast<std::size_t>(in.at() - bytes_.data());
      const char* what = parse_record(in);
      if (what == nullptr && !in.ok()) what = "a record is malformed or truncated";
      if (what != nullptr) fail(at, what);
    }
  }

  // Null, or the reason why the record is invalid.
  const char* parse_record(Decoder& in) {
    const auto tag = static_cast<Tag>(in.byte());
    if (has_process_ == (tag == Tag::process)) return "expected one process record, and at the beginning";
    if (trace_.end) return "a record follows the end record";
    switch (tag) {
      case Tag::process:
        parse_process(in);
        return nullptr;
      case Tag::clock:
        trace_.clock.push_back(parse_clock(in));
        return nullptr;
      case Tag::setting:
        trace_.settings.push_back({.name = in.text(), .value = in.text()});
        return nullptr;
      case Tag::communicator:
        return parse_communicator(in);
      case Tag::site:
        trace_.sites.push_back(parse_site(in));
        return nullptr;
      case Tag::call:
        return parse_call(in);
      case Tag::completion:
        return parse_completion(in);
      case Tag::end: {
        End end{.at_ns = time(in)};
        end.calls = in.number();
        end.recorded = in.number();
        trace_.end = end;
        return nullptr;
      }
    }
    return "a record has an unknown tag";
  }

  // Unsigned arithmetic: in a malformed file, sums of differences may exceed the range of 64 bits and wrap around.
  std::int64_t time(Decoder& in) {
    time_ns_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(time_ns_) +
                                         static_cast<std::uint64_t>(in.signed_number()));
    return time_ns_;
  }

  void parse_process(Decoder& in) {
    Process& process = trace_.process;
    process.job = in.number();
    process.rank = in.small();
    process.size = in.small();
    process.pid = in.number();
    process.every = in.small();
    process.start_ns = time(in);
    process.clock = in.number();
    process.host = in.text();
    process.mpi = in.text();
    process.program = in.text();
    has_process_ = true;
  }

  ClockPoint parse_clock(Decoder& in) {
    ClockPoint point{.at_ns = time(in)};
    point.synchronized = in.byte() != 0;
    point.offset_ns = in.real();
    point.slope = in.real();
    return point;
  }

  const char* parse_communicator(Decoder& in) {
    Communicator made{.id = in.number()};
    made.size = in.small();
    made.remote_size = in.small();
    made.rank = in.small();
    if (in.ok() && (made.size == 0 || made.rank >= made.size)) return "a rank exceeds the size of its communicator";
    trace_.communicators.push_back(made);
    return nullptr;
  }

  CallSite parse_site(Decoder& in) {
    CallSite site{.object = in.text(), .offset = 0, .symbol = {}};
    site.offset = in.number();
    site.symbol = in.text();
    return site;
  }

  const char* parse_call(Decoder& in) {
    Call call;
    const std::uint8_t kind = in.byte();
    const std::uint8_t flags = in.byte();
    if (kind >= kind_names.size()) return "a call has an unknown collective";
    if (flags > 15 || (flags & 3U) == 3) return "a call has unknown flags";
    call.kind = static_cast<Kind>(kind);
    call.start = static_cast<Start>(flags & 3U);
    call.in_place = (flags & 4U) != 0;
    call.failed = (flags & 8U) != 0;
    call.communicator = in.small();
    call.site = in.small();
    const std::int64_t root = in.signed_number();
    call.sequence = in.number();
    call.bytes_sent = in.number();
    call.bytes_received = in.number();
    call.arrival_ns = time(in);
    call.return_ns = time(in);
    if (!in.ok()) return nullptr;
    if (call.communicator >= trace_.communicators.size()) return "a call has an unknown communicator";
    if (call.site >= trace_.sites.size()) return "a call has an unknown call site";
    if (root < no_part_in_intercommunicator || root > 0x7FFF'FFFF) return "a call has an invalid root";
    call.root = static_cast<std::int32_t>(root);
    call.completing_ns = call.arrival_ns;
    call.exit_ns = call.return_ns;
    call.completed = call.start == Start::blocking;
    if (!call.completed) open_[{call.communicator, call.sequence}] = trace_.calls.size();
    trace_.calls.push_back(call);
    return nullptr;
  }

  const char* parse_completion(Decoder& in) {
    const bool failed = in.byte() != 0;
    const std::uint32_t communicator = in.small();
    const std::uint64_t sequence = in.number();
    const std::int64_t completing_ns = time(in);
    const std::int64_t exit_ns = time(in);
    if (!in.ok()) return nullptr;
    const auto found = open_.find({communicator, sequence});
    if (found == open_.end()) return "a completion has no started call";
    Call& call = trace_.calls[found->second];
    call.completed = true;
    call.failed |= failed;
    call.completing_ns = completing_ns;
    call.exit_ns = exit_ns;
    open_.erase(found);
    return nullptr;
  }

  std::span<const unsigned char> bytes_;
  const std::string& name_;
  std::size_t size_ = 0;
  std::int64_t time_ns_ = 0;
  bool has_process_ = false;
  ProcessTrace trace_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> open_;  // indices of started calls without completion
};

// A read-only memory-mapped file.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw SystemError("open(" + path + ")", errno);
    struct stat status {};
    if (::fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      address_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    const int error = errno;
    ::close(file);
    if (address_ == MAP_FAILED) throw SystemError("mmap(" + path + ")", error);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (address_ != nullptr) ::munmap(address_, size_);
  }
  [[nodiscard]] std::span<const unsigned char> bytes() const noexcept {
    return {static_cast<const unsigned char*>(address_), size_};
  }

 private:
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace

std::int64_t ProcessTrace::last_ns() const noexcept {
  if (end) return end->at_ns;
  std::int64_t last = process.start_ns;
  for (const Call& call : calls) last = std::max({last, call.return_ns, call.exit_ns});
  return last;
}

ProcessTrace parse_process_trace(std::span<const unsigned char> bytes, const std::string& name) {
  return Parser(bytes, name).parse();
}

ProcessTrace read_process_trace(const std::string& path) {
  const MappedFile file(path);
  return parse_process_trace(file.bytes(), path);
}

}  // namespace laxity::trace
