// What must hold of every parser for any bytes: a result, or an error that names a place inside the text. And how to
// damage a good text, as a function of a seed.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "laxity/error.hpp"
#include "laxity/random.hpp"

namespace laxity {

/// Throws std::logic_error if the place that an error names lies outside the text.
inline void check_place(std::string_view text, const ParseError& error) {
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  std::string_view rest = text;
  for (long line = 1; line < error.line() && !rest.empty(); ++line) {
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  const auto length = static_cast<long>(std::min(rest.find('\n'), rest.size()));
  if (error.line() < 1 || error.line() > lines || error.column() < 1 || error.column() > length + 1) {
    throw std::logic_error(std::string("the place is outside the text: ") + error.what());
  }
}

/// One small damage: of bytes, of length, or by one of the `words` that a format is sensitive to.
inline void damage(std::string& text, std::span<const std::string_view> words, SeededRandom& random) {
  const auto place = [&] { return random.below(static_cast<std::uint32_t>(text.size()) + 1); };
  const auto byte = [&] { return static_cast<char>(random.below(256)); };
  switch (random.below(6)) {
    case 0:
      text.resize(place());
      break;
    case 1:
      text.insert(place(), 1, byte());
      break;
    case 2:
      text.insert(place(), words[random.below(static_cast<std::uint32_t>(words.size()))]);
      break;
    case 3:
      text.erase(place(), 1 + random.below(5));
      break;
    case 4:
      text.insert(place(), text.substr(place(), random.below(40)));
      break;
    default:
      if (!text.empty()) text[random.below(static_cast<std::uint32_t>(text.size()))] = byte();
  }
}

}  // namespace laxity
