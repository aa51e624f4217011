// Call sites of this test program are named.
#include "laxity/trace/analysis/site_names.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace laxity::trace {
namespace {

// The call site of this function in its caller.
[[gnu::noinline]] CallSite called_from() {
  const void* address = __builtin_return_address(0);
  Dl_info info{};
  EXPECT_NE(::dladdr(address, &info), 0);
  CallSite site;
  site.object = info.dli_fname;
  site.offset =
      static_cast<std::uint64_t>(static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase));
  return site;
}

[[gnu::noinline]] CallSite a_function_with_a_name() {
  CallSite site = called_from();
  site.symbol = {};  // not optimized into a jump
  return site;
}

TEST(SiteNames, AFunctionOfAProgramHasItsName) {
  if (std::system("addr2line --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no addr2line";
  const auto names = site_names(std::vector<CallSite>{a_function_with_a_name(), a_function_with_a_name()});
  ASSERT_EQ(names.size(), 2U);
  EXPECT_NE(names[0].find("a_function_with_a_name"), std::string::npos) << names[0];
  EXPECT_EQ(names[0], names[1]);
}

TEST(SiteNames, WithoutAnObjectFileTheExportedFunctionOrTheOffsetRemains) {
  const std::vector<CallSite> sites{{.object = "/no/such/app", .offset = 0x10, .symbol = "solve"},
                                    {.object = "/no/such/app", .offset = 0x11f3, .symbol = {}},
                                    {.object = "/proc/self/status", .offset = 1, .symbol = {}},
                                    {.object = {}, .offset = 5, .symbol = {}}};
  EXPECT_EQ(site_names(sites), (std::vector<std::string>{"solve", "app+0x11f3", "status+0x1", "+0x5"}));
}

}  // namespace
}  // namespace laxity::trace
