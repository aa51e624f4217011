// expect: constraint
#include <list>

#include "laxity/channel/channel.hpp"

auto impossible() { return laxity::channel<std::list<int>>(); }
