// Whether the bytes of a type hold addresses, which mean nothing in another process and may dangle in another thread.
//
// C++20 has no reflection. Found are pointers, views and references by their type, and within arrays, pairs, tuples,
// optionals, variants and aggregates of up to 16 members. Not found are members of classes with constructors or bases,
// of unions and of larger aggregates.
// Threads: compile time.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace laxity {

namespace detail {
template <class T>
constexpr bool find_address();
}

/// Specialize as false for a type whose addresses are not followed by the receiver, or which the compiler cannot
/// decompose (an aggregate with an anonymous union).
template <class T>
constexpr bool holds_address = detail::find_address<T>();

namespace detail {

// Every member of an aggregate, an array too, can be initialized by one pair of braces.
template <class T, std::size_t members>
constexpr bool has_members() {
  // clang-format off
  if constexpr (members == 1) return requires { T{{}}; };
  if constexpr (members == 2) return requires { T{{}, {}}; };
  if constexpr (members == 3) return requires { T{{}, {}, {}}; };
  if constexpr (members == 4) return requires { T{{}, {}, {}, {}}; };
  if constexpr (members == 5) return requires { T{{}, {}, {}, {}, {}}; };
  if constexpr (members == 6) return requires { T{{}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 7) return requires { T{{}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 8) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 9) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 10) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 11) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 12) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 13) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 14) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 15) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 16) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  if constexpr (members == 17) return requires { T{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}; };
  // clang-format on
}

template <class T, std::size_t members = 0>
constexpr std::size_t count_members() {
  if constexpr (members < 17) {
    if constexpr (has_members<T, members + 1>()) return count_members<T, members + 1>();
  }
  return members;
}

/// Converts to the bases of T only.
template <class T>
struct AnyBaseOf {
  template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>)
  operator Base() const;
};

template <class T>
constexpr bool has_base = requires { T{AnyBaseOf<T>{}}; };

// Returns a type, so that it is never called and no object is needed.
template <std::size_t members, class T>
auto members_of(T& object) {
  // clang-format off
  if constexpr (members == 1) { auto& [a] = object; return std::type_identity<std::tuple<decltype(a)>>(); }
  if constexpr (members == 2) { auto& [a, b] = object; return std::type_identity<std::tuple<decltype(a), decltype(b)>>(); }
  if constexpr (members == 3) { auto& [a, b, c] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c)>>(); }
  if constexpr (members == 4) { auto& [a, b, c, d] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d)>>(); }
  if constexpr (members == 5) { auto& [a, b, c, d, e] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e)>>(); }
  if constexpr (members == 6) { auto& [a, b, c, d, e, f] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f)>>(); }
  if constexpr (members == 7) { auto& [a, b, c, d, e, f, g] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g)>>(); }
  if constexpr (members == 8) { auto& [a, b, c, d, e, f, g, h] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h)>>(); }
  if constexpr (members == 9) { auto& [a, b, c, d, e, f, g, h, i] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h), decltype(i)>>(); }
  if constexpr (members == 10) { auto& [a, b, c, d, e, f, g, h, i, j] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h), decltype(i), decltype(j)>>(); }
  if constexpr (members == 11) { auto& [a, b, c, d, e, f, g, h, i, j, k] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h), decltype(i), decltype(j), decltype(k)>>(); }
  if constexpr (members == 12) { auto& [a, b, c, d, e, f, g, h, i, j, k, l] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l)>>(); }
  if constexpr (members == 13) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m)>>(); }
  if constexpr (members == 14) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m), decltype(n)>>(); }
  if constexpr (members == 15) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m), decltype(n), decltype(o)>>(); }
  if constexpr (members == 16) { auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = object; return std::type_identity<std::tuple<decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h), decltype(i), decltype(j), decltype(k), decltype(l), decltype(m), decltype(n), decltype(o), decltype(p)>>(); }
  // clang-format on
}

template <class T>
constexpr bool tuple_holds_address = false;
template <class... Elements>
constexpr bool tuple_holds_address<std::tuple<Elements...>> = (... || holds_address<std::remove_cv_t<Elements>>);
template <class... Elements>
constexpr bool tuple_holds_address<std::variant<Elements...>> = (... || holds_address<std::remove_cv_t<Elements>>);
template <class First, class Second>
constexpr bool tuple_holds_address<std::pair<First, Second>> = tuple_holds_address<std::tuple<First, Second>>;
template <class Element>
constexpr bool tuple_holds_address<std::optional<Element>> = holds_address<std::remove_cv_t<Element>>;
template <class Element, std::size_t size>
constexpr bool tuple_holds_address<std::array<Element, size>> = holds_address<std::remove_cv_t<Element>>;

template <class T>
constexpr bool is_view = false;
template <class Char, class Traits>
constexpr bool is_view<std::basic_string_view<Char, Traits>> = true;
template <class Element, std::size_t extent>
constexpr bool is_view<std::span<Element, extent>> = true;
template <class T>
constexpr bool is_view<std::reference_wrapper<T>> = true;
template <class T>
constexpr bool is_view<std::initializer_list<T>> = true;

template <class T>
constexpr bool find_address() {
  if constexpr (std::is_pointer_v<T> || std::is_reference_v<T> || std::is_member_function_pointer_v<T> || is_view<T> ||
                tuple_holds_address<T>) {
    return true;
  } else if constexpr (std::is_array_v<T>) {
    return holds_address<std::remove_cv_t<std::remove_all_extents_t<T>>>;
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !requires { std::tuple_size<T>::value; }) {
    constexpr std::size_t members = count_members<T>();
    if constexpr (members >= 1 && members <= 16) {
      if constexpr (!has_base<T>)
        return tuple_holds_address<typename decltype(members_of<members>(std::declval<T&>()))::type>;
    }
  }
  return false;
}

/// Does not compile for a type that holds addresses.
template <class T>
constexpr bool require_no_address() {
  static_assert(
      !holds_address<T>,
      "a payload must not hold addresses (pointers, references, std::string_view, std::span): they mean nothing "
      "to its receiver. Send a std::string, std::vector<T> or std::span<const T>, whose contents travel, a "
      "std::array, or an index; or specialize laxity::Codec. Specialize laxity::holds_address<T> as false if "
      "the receiver does not follow them.");
  return true;
}

}  // namespace detail
}  // namespace laxity
