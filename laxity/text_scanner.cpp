#include "laxity/text_scanner.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "laxity/error.hpp"

namespace laxity::detail {
namespace {

// Closes the file descriptor.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) throw SystemError("open(" + path + ")", errno);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(descriptor_); }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string read_whole_file(const std::string& path) {
  const OpenFile file(path);
  struct stat status {};
  if (::fstat(file.descriptor(), &status) != 0) throw SystemError("fstat(" + path + ")", errno);
  if (!S_ISREG(status.st_mode)) throw UsageError(path + ": not a regular file; copy its content to a file first");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(file.descriptor(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError("read(" + path + ")", errno);
    if (got == 0) break;  // the file was truncated meanwhile
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

std::pair<long, long> TextScanner::place_of(const char* where) const noexcept {
  const long line = 1 + static_cast<long>(std::count(begin_, where, '\n'));
  const char* line_begin = where;
  while (line_begin != begin_ && line_begin[-1] != '\n') --line_begin;
  return {line, 1 + static_cast<long>(where - line_begin)};
}

void TextScanner::fail(const char* where, const std::string& what) const {
  const auto [line, column] = place_of(where);
  throw ParseError(name_, line, column, what);
}

void TextScanner::fail_number(const char* where, const char* what, std::uint64_t low, std::uint64_t high) {
  at_ = where;
  const std::string_view found = word();
  std::string message = std::string("expected ") + what;
  if (low > high) {
    message += ", but there can be none here";
  } else if (high == std::numeric_limits<std::uint64_t>::max()) {
    message += ", a whole number from " + std::to_string(low);
  } else {
    message += ", a whole number in " + std::to_string(low) + ".." + std::to_string(high);
  }
  fail(where, message + "; found " + (found.empty() ? std::string("the end of the line") : quoted(found)));
}

std::string quoted(std::string_view word) {
  constexpr std::size_t longest = 20;
  std::string text(word.substr(0, longest));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '.';
  }
  return "'" + text + (word.size() > longest ? "...'" : "'");
}

}  // namespace laxity::detail
