// The function that would have been called if this library were not there: of another preloaded tool, or of MPI.
//
// Not always PMPI_: a tool that was preloaded behind us is to see the calls too. Programs that load their MPI privately,
// such as Python with mpi4py, have it outside of the global scope; it is then looked up in the libraries that are loaded.
// Threads: any.
#pragma once

#include <atomic>

namespace laxity::trace::preload {

/// Null if there is none.
[[nodiscard]] void* next_symbol(const char* name) noexcept;

/// The object of this name that MPI and the program use: a copy in the program itself, where the linker made one. Null if
/// there is none.
[[nodiscard]] void* shared_object(const char* name) noexcept;

/// As next_symbol() for a function that the program has just called; ends the program with one line if there is none, since then
/// there is nothing that could be called.
[[nodiscard]] void* next_function(const char* name) noexcept;

/// The next function of one name, looked up once. `Function` is its type: Next<int(void*, int)>.
template <class Function>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}

  template <class... Arguments>
  auto operator()(Arguments... arguments) {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      found = next_function(name_);
      found_.store(found, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(found)(arguments...);
  }

 private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

}  // namespace laxity::trace::preload
