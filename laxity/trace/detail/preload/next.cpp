#include "laxity/trace/detail/preload/next.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>

namespace laxity::trace::preload {
namespace {

/// What is looked for in each library that is loaded, and what was found.
struct Search {
  const char* name;
  const void* ourselves;  ///< where this library lies
  void* found = nullptr;
};

const void* place_of(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

int visit_library(dl_phdr_info* library, std::size_t, void* data) {
  if (library->dlpi_name == nullptr || *library->dlpi_name == '\0') return 0;  // the program: its scope begins with us
  auto& search = *static_cast<Search*>(data);
  // Not even asked: looking up an indirect function calls its resolver, which may be what is searching here.
  if (library->dlpi_addr == reinterpret_cast<ElfW(Addr)>(search.ourselves)) return 0;
  void* opened = ::dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) return 0;
  search.found = ::dlsym(opened, search.name);
  ::dlclose(opened);  // it was there before, and stays
  return search.found != nullptr ? 1 : 0;
}

void* symbol(void* scope, const char* name) noexcept {
  if (void* found = ::dlsym(scope, name); found != nullptr) return found;
  Search search{name, place_of(reinterpret_cast<const void*>(&visit_library))};
  ::dl_iterate_phdr(visit_library, &search);
  return search.found;
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
