// Holds the named segment that its argument names until its input ends or it is killed; the latter leaves the segment
// behind.
#include <cstdio>

#include "laxity/transport/segment.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto segment = laxity::Segment::create_named(argv[1], 4096);
  std::puts("ready");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
