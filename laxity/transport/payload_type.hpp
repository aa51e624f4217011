// The type of the values that a link carries, in a form that two programs can compare before the first frame.
//
// Equal are types of equal name (with namespaces and template arguments), size and alignment. The name is as the
// compiler spells it, with the spellings of GCC and Clang made equal for arithmetic types and unnamed namespaces. It
// does not tell apart two types of the same name, size and alignment with different members, as of two versions of a
// program; where two compilers spell a name differently, equal types differ.
// Threads: any. Elsewhere: who compares (arena.hpp for memory, remote_links.hpp for messages between hosts).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "laxity/error.hpp"

namespace laxity {

struct PayloadType {
  static constexpr std::size_t max_name = 119;

  std::uint64_t hash = 0;                 ///< of name, size and alignment; 0: any type
  std::array<char, max_name + 1> name{};  ///< for messages; the hash is of the whole name

  [[nodiscard]] std::string text() const { return name.data(); }
};

/// The two ends of a link were made for values of different types.
class TypeMismatch : public Error {
 public:
  TypeMismatch(const std::string& where, const PayloadType& here, const PayloadType& there)
      : Error(where + ": this end is made for " + here.text() + ", the other one for " + there.text() +
              "; both must be of the same type"),
        here_(here),
        there_(there) {}
  [[nodiscard]] const PayloadType& here() const noexcept { return here_; }
  [[nodiscard]] const PayloadType& there() const noexcept { return there_; }

 private:
  PayloadType here_, there_;
};

namespace detail {

// The type's name is the last part of this function's, between "T = " and the bracket.
template <class T>
constexpr const char* spelled() noexcept {
  return __PRETTY_FUNCTION__;
}

inline std::string type_name(std::string_view spelling) {
  std::string name(spelling.substr(spelling.find("T = ") + 4));
  name.pop_back();
  constexpr std::pair<std::string_view, std::string_view> same[] = {{"long long unsigned int", "unsigned long long"},
                                                                    {"long unsigned int", "unsigned long"},
                                                                    {"short unsigned int", "unsigned short"},
                                                                    {"long long int", "long long"},
                                                                    {"long int", "long"},
                                                                    {"short int", "short"},
                                                                    {"{anonymous}", "(anonymous namespace)"},
                                                                    {"> >", ">>"}};
  for (const auto& [other, ours] : same)
    for (std::size_t at; (at = name.find(other)) != std::string::npos;) name.replace(at, other.size(), ours);
  return name;
}

inline PayloadType payload_type(const std::string& name, std::size_t size, std::size_t alignment) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char each : name + ' ' + std::to_string(size) + ' ' + std::to_string(alignment))
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3u;
  PayloadType type{.hash = hash | 1};  // not 0
  name.copy(type.name.data(), PayloadType::max_name);
  return type;
}

}  // namespace detail

/// A type by another name than the compiler's, for values that are described at run time, such as the arrays of another
/// language.
[[nodiscard]] inline PayloadType payload_type_named(const std::string& name, std::size_t size, std::size_t alignment) {
  return detail::payload_type(name, size, alignment);
}

/// The type of links whose values are Values, which are packed by Packing, a type too; without packing both are the
/// same.
template <class Value, class Packing = Value>
[[nodiscard]] PayloadType payload_type_of() {
  return detail::payload_type(detail::type_name(detail::spelled<Packing>()), sizeof(Value), alignof(Value));
}

}  // namespace laxity
