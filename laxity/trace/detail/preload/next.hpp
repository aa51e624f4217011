// The next definition of an intercepted function: that of another preloaded tool, or of MPI.
//
// The next definition is preferred to the PMPI_ function, so that tools that were preloaded after this one see the
// calls. Programs such as Python with mpi4py load their MPI outside of the global scope; it is then looked up in all
// loaded libraries.
// Threads: any.
#pragma once

#include <atomic>

namespace laxity::trace::preload {

/// The next definition of a name, or null.
[[nodiscard]] void* next_symbol(const char* name) noexcept;

/// The object of this name that MPI and the program share, or null. A copy relocation may put it into the program.
[[nodiscard]] void* shared_object(const char* name) noexcept;

/// The next definition of a function that the program has just called. If there is none, the program could not
/// continue: prints one line and aborts.
[[nodiscard]] void* next_function(const char* name) noexcept;

/// A callable that forwards to the next definition of a name and looks it up once: Next<int(void*, int)> has the type
/// of the function as its argument.
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
