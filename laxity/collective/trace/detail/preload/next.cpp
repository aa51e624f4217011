#include "laxity/collective/trace/detail/preload/next.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace laxity::trace::preload {
namespace {

// The MPI library among all that are loaded: "libmpi.so.40", "libmpich.so.12", "libmpi_mpifh.so.40" are of interest.
int visit_library(dl_phdr_info* library, std::size_t, void* wanted) {
  const std::string_view path(library->dlpi_name);
  if (path.find("libmpi") == std::string_view::npos && path.find("libpmpi") == std::string_view::npos) return 0;
  void* opened = ::dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) return 0;
  auto& [name, found] = *static_cast<std::pair<const char*, void*>*>(wanted);
  found = ::dlsym(opened, name);
  ::dlclose(opened);  // it was there before, and stays
  return found != nullptr ? 1 : 0;
}

void* symbol(void* scope, const char* name) noexcept {
  if (void* found = ::dlsym(scope, name); found != nullptr) return found;
  std::pair<const char*, void*> wanted{name, nullptr};
  ::dl_iterate_phdr(visit_library, &wanted);
  return wanted.second;
}

}  // namespace

void* next_symbol(const char* name) noexcept { return symbol(RTLD_NEXT, name); }

void* shared_object(const char* name) noexcept { return symbol(RTLD_DEFAULT, name); }

void* next_function(const char* name) noexcept {
  void* found = next_symbol(name);
  if (found == nullptr) {
    std::fprintf(stderr, "laxity trace: the program calls %s, which its MPI does not have\n", name);
    std::abort();
  }
  return found;
}

}  // namespace laxity::trace::preload
