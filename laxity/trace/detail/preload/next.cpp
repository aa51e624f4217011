#include "laxity/trace/detail/preload/next.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>

namespace laxity::trace::preload {
namespace {

// A search for a symbol in all loaded libraries.
struct Search {
  const char* name;
  const void* own_base;  // load address of this library
  void* found = nullptr;
};

const void* load_address(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

int visit_library(dl_phdr_info* library, std::size_t, void* data) {
  if (library->dlpi_name == nullptr || *library->dlpi_name == '\0') return 0;  // the program itself
  auto& search = *static_cast<Search*>(data);
  // This library is skipped: looking up an indirect function calls its resolver, which may have started this search.
  if (library->dlpi_addr == reinterpret_cast<ElfW(Addr)>(search.own_base)) return 0;
  void* opened = ::dlopen(library->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (opened == nullptr) return 0;
  search.found = ::dlsym(opened, search.name);
  ::dlclose(opened);  // the program still holds the library
  return search.found != nullptr ? 1 : 0;
}

void* symbol(void* scope, const char* name) noexcept {
  if (void* found = ::dlsym(scope, name); found != nullptr) return found;
  Search search{name, load_address(reinterpret_cast<const void*>(&visit_library))};
  ::dl_iterate_phdr(visit_library, &search);
  return search.found;
}

}  // namespace

void* next_symbol(const char* name) noexcept { return symbol(RTLD_NEXT, name); }

void* shared_object(const char* name) noexcept { return symbol(RTLD_DEFAULT, name); }

void* next_function(const char* name) noexcept {
  void* found = next_symbol(name);
  if (found == nullptr) {
    std::fprintf(stderr, "laxity trace: the program calls %s, which its MPI does not define\n", name);
    std::abort();
  }
  return found;
}

}  // namespace laxity::trace::preload
