// What the other files of this folder do wrong, done right: this one must compile.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "laxity/channel/channel.hpp"
#include "laxity/mesh/layers/state_layer.hpp"
#include "laxity/mesh/mesh.hpp"
#include "laxity/transport/any_transport.hpp"

struct WholeSender {
  static constexpr bool lossless = true;
  [[nodiscard]] std::size_t frame_capacity() const noexcept { return 64; }
  [[nodiscard]] std::byte* try_claim() noexcept { return nullptr; }
  void publish(std::size_t) noexcept {}
};

laxity::AnySender hold() { return WholeSender{}; }

struct Inner {
  double mass;
  char name[16];
};
struct Outer {
  enum class Kind { one } kind;
  float matrix[2][3];
  std::array<Inner, 2> inner;
  std::optional<double> more;
  unsigned flag : 1;
};
using Possible = laxity::Mesh<laxity::StateLayer<Outer>>;
Possible* possible = nullptr;
void contents_travel() {
  (void)laxity::channel<std::span<const int>>();
  (void)laxity::channel<std::vector<Inner>>();
  (void)laxity::channel<std::string>();
}

// What is found.
static_assert(laxity::holds_address<int*> && laxity::holds_address<std::string_view>);
static_assert(laxity::holds_address<std::optional<std::pair<int, std::span<int>>>>);
struct Method {
  int number;
  void (*call)();
};
static_assert(laxity::holds_address<Method> && laxity::holds_address<Method[2]>);

// What cannot be found, and what is allowed by name.
class Hidden {
 public:
  explicit Hidden(int* place) : place_(place) {}
  [[nodiscard]] int* place() const { return place_; }

 private:
  int* place_;
};
struct Derived : Method {};
static_assert(!laxity::holds_address<Hidden> && !laxity::holds_address<Derived>);
struct Handle {
  void* of_this_process;
};
template <>
constexpr bool laxity::holds_address<Handle> = false;
void by_name() { (void)laxity::channel<Handle>(); }
