#include "laxity/trace/detail/preload/call_sites.hpp"

#include <dlfcn.h>

#include <array>
#include <string_view>

namespace laxity::trace::preload {
namespace {

bool is_mpi_itself(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  constexpr std::array<std::string_view, 6> names{"libmpi.so", "libmpich.so", "libpmpi.so",
                                                  "mca_",      "libopen-",    "libompi"};
  for (const std::string_view name : names) {
    if (file.starts_with(name)) return true;
  }
  return false;
}

}  // namespace

CallSites::Found CallSites::look_up(const void* return_address) {
  const auto [found, is_new] = known_.try_emplace(return_address);
  last_address_ = return_address;
  last_ = found->second;
  if (!is_new) return last_;
  Dl_info info{};
  added_ = {};
  if (::dladdr(return_address, &info) != 0 && info.dli_fname != nullptr) {
    added_.object = info.dli_fname;
    added_.offset =
        static_cast<std::uint64_t>(static_cast<const char*>(return_address) - static_cast<const char*>(info.dli_fbase));
    if (info.dli_sname != nullptr) added_.symbol = info.dli_sname;
  }
  last_.inside_mpi = is_mpi_itself(added_.object);
  if (!last_.inside_mpi) last_.index = next_index_++;
  found->second = last_;
  Found first = last_;
  if (!first.inside_mpi) first.added = &added_;
  return first;
}

}  // namespace laxity::trace::preload
