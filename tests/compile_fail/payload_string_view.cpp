// expect: a payload must not hold addresses.*Send a std::string
#include <string_view>

#include "laxity/channel/channel.hpp"

auto impossible() { return laxity::channel<std::string_view>(); }
