#include "laxity/transport/segment.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <sstream>

#include "laxity/check.hpp"
#include "laxity/error.hpp"

namespace laxity {
namespace {

constexpr const char* shared_memory_folder = "/dev/shm";
constexpr std::size_t owner_page = 4096;  // the part of a named segment for its Owner, so that data() is page-aligned

std::string in_bytes(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

/// Closes a file descriptor.
class File {
 public:
  explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  /// Releases the descriptor to the caller, who closes it.
  [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

std::byte* map(std::size_t bytes, int flags, int descriptor, const std::string& what) {
  void* place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (place == MAP_FAILED) throw SystemError("mmap(" + what + ", " + in_bytes(bytes) + ")", errno);
  return static_cast<std::byte*>(place);
}

/// A memory file without a name: a memfd or, where the kernel or a sandbox has none, a file whose name is removed at
/// once.
File open_nameless() {
#ifdef MFD_NOEXEC_SEAL
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL;
#else
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
#endif
  if (const int descriptor = ::memfd_create("laxity", flags); descriptor >= 0) return File(descriptor);
  if (errno != ENOSYS && errno != EPERM && errno != EINVAL) throw SystemError("memfd_create", errno);
  const std::string name = "/laxity.nameless." + std::to_string(::getpid());
  File file(::shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!file.is_open()) throw SystemError("shm_open(" + name + ")", errno);
  ::shm_unlink(name.c_str());
  return file;
}

/// The time at which a process started, clock ticks since boot; together with its number it identifies a process. 0 if
/// no process with that number runs; a zombie does not run.
std::uint64_t start_time_of(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text{std::istreambuf_iterator<char>(stat), {}};
  const std::size_t name_end = text.rfind(')');  // the command's name may contain spaces and parentheses
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state;
  fields >> state;  // proc(5): field 3; starttime is field 22
  if (state == "Z" || state == "X") return 0;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  std::uint64_t start = 0;
  fields >> start;
  return start;
}

/// The process namespace, within which process numbers are valid.
std::uint64_t process_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/// The first page of a named segment: its creator. Written before the segment has a name, constant afterwards.
struct Owner {
  static constexpr std::uint64_t right_magic = 0x3130'7974'6978'616cu;  // "laxity01": changes with this layout

  std::uint64_t magic = right_magic;
  std::uint64_t bytes = 0;
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;
  std::uint64_t pid_namespace = 0;

  [[nodiscard]] static Owner this_process(std::size_t bytes) {
    return {right_magic, bytes, ::getpid(), start_time_of(::getpid()), process_namespace()};
  }

  /// False for a process in another container, about which nothing is known.
  [[nodiscard]] bool is_gone() const {
    return pid_namespace == process_namespace() && start_time_of(static_cast<pid_t>(pid)) != start_time;
  }
};
static_assert(sizeof(Owner) <= owner_page);

/// Contains the user, so that names of different users do not collide in /dev/shm.
std::string file_prefix() { return "laxity." + std::to_string(::geteuid()) + "."; }

std::string path_of(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
           c == '.';
  };
  if (name.empty() || name.size() > 64 || !std::all_of(name.begin(), name.end(), allowed)) {
    throw UsageError("segment name '" + name + "': must be 1 to 64 letters, digits, '-', '_' or '.'");
  }
  return std::string(shared_memory_folder) + "/" + file_prefix() + name;
}

/// Reads the first page; empty if the file is not a complete named segment of this version.
std::optional<Owner> read_owner(const File& file) {
  Owner owner;
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return {};
  if (::pread(file.descriptor(), &owner, sizeof owner, 0) != static_cast<ssize_t>(sizeof owner)) return {};
  if (owner.magic != Owner::right_magic) return {};
  if (owner.bytes == 0 || static_cast<std::uint64_t>(status.st_size) < owner_page + owner.bytes) return {};
  return owner;
}

File open_file(const std::string& path) { return File(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)); }

[[noreturn]] void fail_because_taken(const std::string& name, const std::string& path) {
  const File file = open_file(path);
  const std::optional<Owner> owner = file.is_open() ? read_owner(file) : std::nullopt;
  if (!owner) throw UsageError("segment '" + name + "': " + path + " exists already; use another name");
  const std::string process = "process " + std::to_string(owner->pid);
  throw UsageError("segment '" + name + "': " +
                   (owner->is_gone() ? "left behind by " + process + ", which is gone; run `laxity clean`"
                                     : "in use by " + process + "; use another name"));
}

}  // namespace

Segment Segment::private_memory(std::size_t bytes) {
  LAXITY_CHECK(bytes > 0);
  Segment segment;
  segment.mapping_ = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, "private memory");
  segment.mapped_ = bytes;
  segment.data_ = segment.mapping_;
  segment.size_ = bytes;
  return segment;
}

Segment Segment::shared(std::size_t bytes) { return SegmentOffer(bytes).map(); }

Segment Segment::map_shared(int descriptor, std::size_t bytes) {
  Segment segment;
  segment.mapping_ = map(bytes, MAP_SHARED | MAP_NORESERVE, descriptor, "shared memory");
  segment.mapped_ = bytes;
  segment.data_ = segment.mapping_;
  segment.size_ = bytes;
  return segment;
}

Segment Segment::join(const SegmentAddress& address) {
  const std::string path = "/proc/" + std::to_string(address.pid) + "/fd/" + std::to_string(address.descriptor);
  const File file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) throw SystemError("open(" + path + ")", errno);
  struct stat status {};
  const bool same = ::fstat(file.descriptor(), &status) == 0 && status.st_dev == address.device &&
                    status.st_ino == address.inode && static_cast<std::uint64_t>(status.st_size) == address.bytes;
  if (!same)
    throw Error("shared memory: " + path +
                " is not the file that its process offered; does that process run in another container?");
  return map_shared(file.descriptor(), address.bytes);
}

SegmentOffer::SegmentOffer(std::size_t bytes) : descriptor_(-1), bytes_(bytes) {
  LAXITY_CHECK(bytes > 0);
  const std::string call = "ftruncate(shared memory, " + in_bytes(bytes) + ")";
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)
    throw SystemError(call, EFBIG);  // the call itself would end the process by SIGXFSZ
  File file = open_nameless();
  if (::ftruncate(file.descriptor(), static_cast<off_t>(bytes)) != 0) throw SystemError(call, errno);
  // Sealed so that no process can truncate the memory while workers use it. The fallback file cannot be sealed, but no
  // other process can open it either.
  ::fcntl(file.descriptor(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  descriptor_ = file.release();
}

SegmentOffer::~SegmentOffer() { ::close(descriptor_); }

SegmentAddress SegmentOffer::address() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw SystemError("fstat(shared memory)", errno);
  return {::getpid(), descriptor_, status.st_dev, status.st_ino, bytes_};
}

Segment SegmentOffer::map() const { return Segment::map_shared(descriptor_, bytes_); }

Segment Segment::create_named(const std::string& name, std::size_t bytes) {
  LAXITY_CHECK(bytes > 0);
  const std::string path = path_of(name);
  const File file(::open(shared_memory_folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.is_open()) throw SystemError("open(" + std::string(shared_memory_folder) + ", O_TMPFILE)", errno);
  if (const int error = ::posix_fallocate(file.descriptor(), 0, static_cast<off_t>(owner_page + bytes)); error != 0) {
    throw SystemError("posix_fallocate(" + path + ", " + in_bytes(bytes) + ")", error);
  }
  Segment segment;
  segment.mapped_ = owner_page + bytes;
  segment.mapping_ = map(segment.mapped_, MAP_SHARED, file.descriptor(), path);
  segment.data_ = segment.mapping_ + owner_page;
  segment.size_ = bytes;
  new (segment.mapping_) Owner(Owner::this_process(bytes));

  const std::string open_file_path = "/proc/self/fd/" + std::to_string(file.descriptor());
  if (::linkat(AT_FDCWD, open_file_path.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    if (errno == EEXIST) fail_because_taken(name, path);
    throw SystemError("linkat(" + path + ")", errno);
  }
  segment.path_ = path;
  segment.creator_pid_ = ::getpid();
  return segment;
}

Segment Segment::open_named(const std::string& name) {
  const std::string path = path_of(name);
  const File file = open_file(path);
  if (!file.is_open()) throw SystemError("open(" + path + ")", errno);
  const std::optional<Owner> owner = read_owner(file);
  if (!owner) throw Error("segment '" + name + "': " + path + " was not made by this version of laxity");
  Segment segment;
  segment.mapped_ = owner_page + owner->bytes;
  segment.mapping_ = map(segment.mapped_, MAP_SHARED, file.descriptor(), path);
  segment.data_ = segment.mapping_ + owner_page;
  segment.size_ = owner->bytes;
  return segment;
}

Segment::~Segment() {
  if (mapping_ == nullptr) return;
  ::munmap(mapping_, mapped_);
  if (!path_.empty() && creator_pid_ == ::getpid()) ::unlink(path_.c_str());
}

void Segment::swap(Segment& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapped_, other.mapped_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(path_, other.path_);
  std::swap(creator_pid_, other.creator_pid_);
}

std::vector<NamedSegment> list_named_segments() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(shared_memory_folder), &::closedir);
  if (folder == nullptr) throw SystemError("opendir(" + std::string(shared_memory_folder) + ")", errno);
  const std::string prefix = file_prefix();
  std::vector<NamedSegment> found;
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string file_name = entry->d_name;
    if (!file_name.starts_with(prefix)) continue;
    const File file = open_file(std::string(shared_memory_folder) + "/" + file_name);
    const std::optional<Owner> owner = file.is_open() ? read_owner(file) : std::nullopt;
    if (!owner) continue;
    found.push_back({file_name.substr(prefix.size()), owner->bytes, static_cast<pid_t>(owner->pid), owner->is_gone()});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

std::vector<NamedSegment> remove_stale_segments() {
  std::vector<NamedSegment> removed = list_named_segments();
  std::erase_if(removed, [](const NamedSegment& segment) {
    return !segment.owner_is_gone || ::unlink(path_of(segment.name).c_str()) != 0;
  });
  return removed;
}

}  // namespace laxity
