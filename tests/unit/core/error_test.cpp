#include "laxity/error.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>

namespace laxity {
namespace {

// Sets a soft limit of this process while it exists.
class ScopedLimit {
 public:
  ScopedLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit set{value, before_.rlim_max};
    EXPECT_EQ(setrlimit(resource, &set), 0);
  }
  ScopedLimit(const ScopedLimit&) = delete;
  ScopedLimit& operator=(const ScopedLimit&) = delete;
  ~ScopedLimit() { setrlimit(resource_, &before_); }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

TEST(SystemError, NamesTheLimitBehindTheFailure) {
  const ScopedLimit limit(RLIMIT_FSIZE, 64 * 1024);
  EXPECT_STREQ(SystemError("write(a.csv)", EFBIG).what(),
               "write(a.csv): File too large (the limit of file sizes and shared memory is 64 KiB: ulimit -f)");
}

TEST(SystemError, NamesNoLimitThatIsNotSet) {
  EXPECT_STREQ(SystemError("mmap(1 bytes)", ENOMEM).what(), "mmap(1 bytes): Cannot allocate memory");
  EXPECT_EQ(limit_behind(EIO), "");
}

TEST(SystemError, CountsFilesWithoutAUnit) {
  const ScopedLimit limit(RLIMIT_NOFILE, 100);
  EXPECT_EQ(limit_behind(EMFILE), " (the limit of open files is 100: ulimit -n)");
}

}  // namespace
}  // namespace laxity
