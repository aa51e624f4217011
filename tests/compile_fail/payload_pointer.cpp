// expect: a payload must not hold addresses
#include "laxity/channel/channel.hpp"

auto impossible() { return laxity::channel<const int*>(); }
