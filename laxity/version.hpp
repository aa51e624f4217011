// The version of the library, for programs that support several: semver.org, as in CHANGELOG.md.
//
// The only place of the number in C++ and CMake, which reads it from here. The test `documents` compares the Python
// package and the changelog with it.
#pragma once

#define LAXITY_VERSION_MAJOR 0
#define LAXITY_VERSION_MINOR 1
#define LAXITY_VERSION_PATCH 0

/// "0.1.0"
#define LAXITY_VERSION                             \
  LAXITY_DETAIL_VERSION_TEXT(LAXITY_VERSION_MAJOR) \
  "." LAXITY_DETAIL_VERSION_TEXT(LAXITY_VERSION_MINOR) "." LAXITY_DETAIL_VERSION_TEXT(LAXITY_VERSION_PATCH)
#define LAXITY_DETAIL_VERSION_TEXT(number) LAXITY_DETAIL_VERSION_QUOTED(number)
#define LAXITY_DETAIL_VERSION_QUOTED(number) #number
