// expect: a payload must not hold addresses.*std::span<const T>
#include <span>

#include "laxity/channel/channel.hpp"

// The contents of a span of constants travel; this one would be sent as an address.
auto impossible() { return laxity::channel<std::span<int>>(); }
